"""Invented secrets in every form that must be found, and texts that only look like them.

The vendors' shapes are put together here, so that no scanner of a code host takes one for a real key.
"""

_LETTERS = "4eC39HqLyjWDarjtT1zdp7dcBx8Kq2VmN6wR5sZuYgXf"
_HEX = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822c"


def _fake(start, length, letters=_LETTERS):
    """`start` and then `length` characters that no generator made; different for different starts."""
    at = sum(map(ord, start)) % 17 + 1
    return start + (letters[at:] + letters * 4)[:length]


def _hex(start, length):
    return _fake(start, length, _HEX)


def _pem(kind="RSA ", line_end="\n", lines=3):
    body = line_end.join(_fake("MII" + "ABCDEFG"[number], 60) for number in range(lines))
    return line_end.join(("-" * 5 + "BEGIN %sPRIVATE KEY" % kind + "-" * 5, body,
                          "-" * 5 + "END %sPRIVATE KEY" % kind + "-" * 5))


_PEM_PART = _fake("MIIA", 60)
_AWS_ID = _fake("AKIA", 16, "7W4KX2HRQDL9Z3T5PM")

# What vendors hand out: how it starts, and how much follows.
_LETTERED = (
    ("sk-", 45), ("sk-proj-", 60), ("sk-ant-api03-", 80), ("sk-or-v1-", 60), ("gsk_", 50), ("xai-", 60),
    ("pplx-", 48), ("r8_", 37), ("hf_", 34), ("tvly-", 32), ("lsv2_pt_", 40), ("AIza", 35), ("ya29.", 60),
    ("GOCSPX-", 28), ("1//0", 60), ("ghp_", 36), ("gho_", 36), ("ghu_", 36), ("ghs_", 36), ("ghr_", 36),
    ("github_pat_", 82), ("glpat-", 20), ("gldt-", 20), ("glrt-", 20), ("glcbt-", 24), ("glptt-", 40),
    ("xapp-1-", 50), ("whsec_", 32), ("sk_" + "live_", 24), ("sk_" + "test_", 24), ("rk_" + "live_", 24),
    ("fn_" + "live_", 24), ("npm_", 36), ("pypi-AgEI", 90), ("dckr_pat_", 27), ("sq0atp-", 22),
    ("sq0csp-", 43), ("EAAA", 60), ("a1b8Q~", 34), ("HRKU-", 60), ("lin_api_", 40), ("ntn_", 46),
    ("secret_", 43), ("sb_secret_", 30), ("vcp_", 50), ("vercel_blob_rw_", 40), ("glsa_", 41),
    ("glc_eyJ", 80), ("sntrys_", 80), ("ATATT3", 100), ("ATBB", 32), ("figd_", 40), ("sl.", 120),
    ("dp.pt.", 40), ("hvs.", 90), ("pscale_tkn_", 43), ("phx_", 43), ("nfp_", 36), ("rnd_", 32),
    ("CCIPAT_", 40), ("AKCp8", 68), ("tskey-auth-", 40), ("ops_eyJ", 90), ("eyJ", 120), ("$2b$12$", 53),
    ("$6$rounds=5000$", 100),
)
_HEXED = (
    ("SK", 32), ("AC", 32), ("key-", 32), ("dop_v1_", 64), ("shpat_", 32), ("shpss_", 32), ("dapi", 32),
    ("sbp_", 40), ("rubygems_", 48), ("bkua_", 40), ("sqp_", 40), ("xkeysib-", 64), ("access-sandbox-", 36),
)
_CAPITALS = "Q7X2HRWDL9KZ3T5PMV"
_OTHERS = (
    _fake("AKIA", 16, _CAPITALS), _fake("ASIA", 16, _CAPITALS), _fake("NRAK-", 27, _CAPITALS),
    _fake("AGE-SECRET-KEY-1", 58, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"), _fake("xoxb-", 50,
    "0123456789-abcdef"),
    _fake("xoxp-", 60, "1234567890-"), _fake("SG.", 22) + "." + _fake("x", 42), "7712345678:" + _fake("AA",
    33),
    _fake("MT", 22) + "." + _fake("G", 5) + "." + _fake("d", 37), _hex("v1.0-", 24) + "-" + _hex("c", 145),
    _hex("PMAK-", 24) + "-" + _hex("b", 33), _fake("re_", 8) + "_" + _fake("b", 23), _hex("", 32) + "-us14",
    _fake("pat", 14) + "." + _hex("c", 63), _fake("eyJ", 33) + "." + _fake("eyJz", 40) + "." + _fake("Sx",
    40),
)
VENDORS = (
    tuple(_fake(start, length) for start, length in _LETTERED)
    + tuple(_hex(start, length) for start, length in _HEXED) + _OTHERS
)

_ADDRESSES = (
    ("DATABASE_URL=postgres://shop:Vr7ka-BB21@db.acme-shop.example:5432/shop", "Vr7ka-BB21",
     "@db.acme-shop.example:5432/shop"),
    ("use mysql2://ro:Gr4nite%40Finch@10.8.0.14:3306/old please", "Gr4nite%40Finch",
     "@10.8.0.14:3306/old please"),
    ("redis://:Fl1nt-stone@cache.acme-shop.example/0", "Fl1nt-stone", "@cache.acme-shop.example/0"),
    ("mongodb+srv://app:Br1ck@Lane@cluster0.example/shop", "Br1ck@Lane", "@cluster0.example/shop"),
    ("amqp://worker:swordfishy@mq.acme-shop.example", "swordfishy", "amqp://worker:"),
    ("git clone https://ci:Tr0ub4dor@git.acme-shop.example/shop.git", "Tr0ub4dor", "/shop.git"),
    ("https://bot:we/ird-pa55@stage.acme-shop.example/v2", "we/ird-pa55", "stage.acme-shop.example"),
    ("rsync://push:" + "Tr0wel-inv3nted" + "@mirror.example/feed", "Tr0wel-inv3nted", "mirror.example/feed"),
    ("smtp://mailer:p&ss;w0rd!@smtp.acme-shop.example:587", "p&ss;w0rd!", "smtp.acme-shop.example:587"),
    ("{\"url\":\"https:\\/\\/ci:Esc4ped-sl@host.example\\/x\"}", "Esc4ped-sl", "host.example"),
    ("https://" + _hex("", 32) + "@o4711.ingest.sentry.example/42", _hex("", 32),
     "o4711.ingest.sentry.example/42"),
    ("https://" + _fake("x0", 38) + "@git.example/acme/shop.git", _fake("x0", 38),
     "git.example/acme/shop.git"),
    ("next=postgres%3A%2F%2Fshop%3AEnc0ded-pw%40db%2Fshop", "Enc0ded-pw", "db%2Fshop"),
    ("dsn: shop:G0lang-pw@tcp(127.0.0.1:3306)/shop", "G0lang-pw", "tcp(127.0.0.1:3306)/shop"),
    ("jdbc:oracle:thin:scott/T1ger-paw@//db:1521/shop", "T1ger-paw", "@//db:1521/shop"),
    ("jdbc:postgresql://db/shop?user=a&password=Jd8c-pw&ssl=true", "Jd8c-pw", "&ssl=true"),
    ("https://hooks.slack.com/services/" + _fake("T0", 8) + "/" + _fake("B0", 8) + "/" + _fake("z", 24),
     _fake("z", 24),
     "https://hooks.slack.com/"),
    ("https://discord.com/api/webhooks/112233445566778899/" + _fake("w", 67), _fake("w", 67),
     "https://discord.com/api/webhooks/"),
    ("https://acme.webhook.office.com/webhookb2/" + _hex("", 36) + "@" + _hex("e", 35), _hex("e", 35),
     "webhook.office.com/"),
    ("GET /v1/items?page=2&api_key=q1w2e3r4t5y6&sort=asc", "q1w2e3r4t5y6", "&sort=asc"),
    ("https://api.acme-shop.example/x?access_token=" + _hex("t", 30), _hex("t", 30),
     "https://api.acme-shop.example/x?access_token="),
    ("https://a.blob.example/c?sv=2024&sig=aB3%2Fx9Kq2VmN6wR5sZuYgXf%3D&se=1", "aB3%2Fx9Kq2VmN6wR5sZuYgXf",
     "sv=2024"),
    ("https://s3.example/o?X-Amz-Signature=" + _hex("f", 63) + "&x=1", _hex("f", 63), "&x=1"),
    ("redirect=https%3A%2F%2Fx.example%3Ftoken%3D" + _hex("ab", 30) + "%26a%3D1", _hex("ab", 30), "%26a%3D1"),
)

_ENVIRONMENT = (
    ("API_KEY=q7w8e9r0t1y2", "q7w8e9r0t1y2", "API_KEY="),
    ("export ACME_TOKEN='Quot3d-tok'", "Quot3d-tok", "export ACME_TOKEN='"),
    ("DB_PASSWORD=correcthorse", "correcthorse", "DB_PASSWORD="),
    ("DB_PASS=Hollyh0ck-rain", "Hollyh0ck-rain", "DB_PASS="),
    ("PGPASSWORD=Etl-77-Valm psql -h db", "Etl-77-Valm", "psql -h db"),
    ("APP_SECRET=a;b&c=d|e\nPORT=80", "a;b&c=d|e", "\nPORT=80"),
    ("SMTP_PASSWD=\"we1rd \\\"qu0ted\\\" one\"\nX=1", "qu0ted", "X=1"),
    ("MQTT_PWD=Pwd-4711\r\nHOST=h\r\n", "Pwd-4711", "\r\nHOST=h\r\n"),
    ("IMG_KEY=" + _hex("5d", 30) + "\nIMG_SALT=" + _hex("c04", 29), _hex("c04", 29), "IMG_SALT="),
    ("SMTP_RELAY_KEY=hh-relay-7Yq2LmNOTREAL88zz , into staging", "hh-relay-7Yq2LmNOTREAL88zz",
     ", into staging"),
    ("GOOGLE_CREDENTIALS=Zx81-spectrum-48k", "Zx81-spectrum-48k", "GOOGLE_CREDENTIALS="),
    ("REDIS_AUTH=Au7h-w0rd", "Au7h-w0rd", "REDIS_AUTH="),
    ("SECRET_KEY_BASE=" + _hex("bb", 60), _hex("bb", 60), "SECRET_KEY_BASE="),
    ("DD_API_KEY=" + _hex("dd", 30), _hex("dd", 30), "DD_API_KEY="),
    ("CLOUDFLARE_API_TOKEN=" + _fake("cf", 38), _fake("cf", 38), "CLOUDFLARE_API_TOKEN="),
    ("HEROKU_API_KEY=0f3d8a51-77c2-4b0e-9d1e-2f6d4c1be001", "0f3d8a51-77c2-4b0e-9d1e-2f6d4c1be001",
     "HEROKU_API_KEY="),
    ("AWS_SECRET_ACCESS_KEY=8sGx1vYt0pLq7uWz4nRbE2aKcJd6MfHo3iXyTgVh",
     "8sGx1vYt0pLq7uWz4nRbE2aKcJd6MfHo3iXyTgVh",
     "AWS_SECRET_ACCESS_KEY="),
    ("set NUGET_KEY=N0get-k3y && build", "N0get-k3y", "&& build"),
    ("$env:API_TOKEN = \"Psh3ll-tok\"", "Psh3ll-tok", "$env:API_TOKEN = \""),
    ("ENV API_TOKEN " + _fake("dk", 20), _fake("dk", 20), "ENV API_TOKEN "),
    ("//registry.example/:_authToken=" + _hex("e3", 30), _hex("e3", 30), "_authToken="),
    ("_auth=YWNtZTpzM2NyM3QtcHc0Mg==", "YWNtZTpzM2NyM3QtcHc0Mg", "_auth="),
    ("API_KEY_PROD=pr0d-val-1\nAPI_KEY_2=sec0nd-val", "sec0nd-val", "API_KEY_2="),
    ("PRIVATE_KEY=\"" + _pem(line_end="\\n") + "\"\nNEXT=1", _PEM_PART, "NEXT=1"),
)

_FILES = (
    ("{\"api_key\": \"Js0n-val\", \"port\": 80}", "Js0n-val", "\"port\": 80}"),
    ("{\"password\": \"a\\\"b\\\\c{d}\", \"x\": 1}", "a\\\"b\\\\c{d}", "\"x\": 1}"),
    ("{\"body\": \"{\\\"token\\\": \\\"N3sted-tok\\\", \\\"n\\\": 1}\"}", "N3sted-tok", "\\\"n\\\": 1}"),
    ("\"{\"\"password\"\": \"\"D0ubled-q\"\"}\",2", "D0ubled-q", ",2"),
    ("{\"clientSecret\":\"Cam3l-case\"}", "Cam3l-case", "{\"clientSecret\":\""),
    ("{\"name\": \"DB_PASSWORD\", \"value\": \"K8s-val\"}", "K8s-val", "\"DB_PASSWORD\""),
    ("- name: API_TOKEN\n  value: Ym4l-env-9\n- name: PORT", "Ym4l-env-9", "- name: PORT"),
    ("{\"auths\":{\"r.example\":{\"auth\":\"YWNtZTpodW50ZXIyMzQ=\"}}}", "YWNtZTpodW50ZXIyMzQ", "r.example"),
    ("{\"kty\":\"EC\",\"crv\":\"P-256\",\"d\":\"" + _fake("jw", 41) + "\"}", _fake("jw", 41), "P-256"),
    ("{\"private_key\": \"" + _pem("", "\\n") + "\", \"client_id\": \"7\"}", _PEM_PART,
     "\"client_id\": \"7\""),
    ("db:\n  user: shop\n  password: Ym4l-plain\n  port: 1", "Ym4l-plain", "\n  port: 1"),
    ("db:\n  password: swordfishes\n  port: 1", "swordfishes", "\n  port: 1"),
    ("password: 'it''s-Y4ml'\nport: 1", "s-Y4ml", "\nport: 1"),
    ("tls:\n  secret: |\n    f1rst-line\n    s3cond-line\n  port: 1", "s3cond-line", "\n  port: 1"),
    ("kubeconfig\n    token: " + _fake("kc", 40) + "\n", _fake("kc", 40), "token: "),
    ("    client-key-data: " + _fake("LS0tLS1CRUdJTiBSU0", 60), _fake("LS0tLS1CRUdJTiBSU0", 60),
     "client-key-data: "),
    ("[db]\npassword = In1-file\nhost = h", "In1-file", "\nhost = h"),
    ("[smtp]\npassword = bluebirds\nhost = h", "bluebirds", "\nhost = h"),
    ("api_key = \"T0ml-key\" # rotate", "T0ml-key", "# rotate"),
    ("secret = '''mult1\nline2-end'''\nx = 1", "line2-end", "x = 1"),
    ("<add key=\"ApiKey\" value=\"Xm1-attr\"/>", "Xm1-attr", "<add key=\"ApiKey\""),
    ("<password>Xm1-elem</password>", "Xm1-elem", "</password>"),
    ("Server=db;Database=s;User Id=sa;Password=C0nn-str;Encrypt=true", "C0nn-str", ";Encrypt=true"),
    ("AccountName=acme;AccountKey=" + _fake("ak", 60) + "==;EndpointSuffix=x", _fake("ak", 60),
     "EndpointSuffix=x"),
    ("Endpoint=sb://a.example/;SharedAccessKeyName=root;SharedAccessKey=" + _fake("sa", 40) + "=", _fake("sa",
     40), "Endpoint=sb://"),
    ("[Interface]\nPrivateKey = " + _fake("wg", 41) + "=\nAddress = 10.0.0.1", _fake("wg", 41),
     "Address = 10.0.0.1"),
    ("machine git.example login acme password netrcword", "netrcword", "machine git.example login acme"),
    ("db.example:5432:shop:shop:Pg-p4ss", "Pg-p4ss", "db.example:5432:shop:shop:"),
    ("| user | password |\n| password | T4ble-cell |", "T4ble-cell", "| user |"),
    (_pem() + "\nafter", _PEM_PART, "after"),
    (_pem("OPENSSH ", lines=5) + "\nafter", _PEM_PART, "after"),
    (_pem("EC ")[:-60] + "\n\nand then nothing", _PEM_PART, "and then nothing"),
    ("cut off: " + _pem().split("KEY-----\n", 1)[1] + "\nafter", _PEM_PART, "cut off"),
    ("> " + _pem("ENCRYPTED ").replace("\n", "\n> ") + "\nquoted", _PEM_PART, "quoted"),
    (_pem("PGP ").replace("KEY-----", "KEY BLOCK-----").replace("BLOCK-----\n", "BLOCK-----\n\nVersion: 1\n",
     1), _PEM_PART, ""),
    ("PuTTY-User-Key-File-3: ssh-ed25519\nPublic-Lines: 2\nAAAA\nPrivate-Lines: 1\n" + _PEM_PART + "\n",
     _PEM_PART, "PuTTY-User-Key-File"),
)

_CODE = (
    ("api_key = \"Pyth0n-lit\"", "Pyth0n-lit", "api_key = \""),
    ("password: str = \"Typ3d-lit\"", "Typ3d-lit", "password: str = \""),
    ("const apiKey: string = 'Tscr1pt-lit';", "Tscr1pt-lit", "';"),
    ("os.environ[\"API_KEY\"] = \"Env1ron-lit\"", "Env1ron-lit", "os.environ[\"API_KEY\"] = \""),
    ("token := \"G0-lang-lit\"", "G0-lang-lit", "token := \""),
    (":password => \"Rub1-hash\"", "Rub1-hash", ":password => \""),
    ("define('DB_PASSWORD', 'Ph9-const');", "Ph9-const", "define('DB_PASSWORD', '"),
    ("#define WIFI_PASSWORD \"Esp32-wifi\"", "Esp32-wifi", "#define WIFI_PASSWORD \""),
    ("db.setPassword(\"J4va-call\");", "J4va-call", "db.setPassword(\""),
    ("process.env.API_KEY || \"Fallb4ck-x\"", "Fallb4ck-x", "process.env.API_KEY || \""),
    ("os.getenv(\"DB_PASSWORD\", \"D3fault-x\")", "D3fault-x", "os.getenv(\"DB_PASSWORD\", \""),
    ("connect(user='a', password='Kw-arg1', port=1)", "Kw-arg1", ", port=1)"),
    ("char password[] = \"C-arr4y\";", "C-arr4y", "char password[] = \""),
    ("headers = {\"Authorization\": \"Bearer Py-b3arer\"}", "Py-b3arer", "\"Bearer "),
    ("AppKey bytes {0x9E,0x3F,0x51,0xC7,0xA2,0xB8,0x4D,0x06,0xE1,0xF0,0x77,0x3C,0x5B,0x9A,0x2D,0x48}",
     "0xC7,0xA2,0xB8", "AppKey bytes {"),
    ("CREATE USER shop IDENTIFIED BY 'Sq1-user'", "Sq1-user", "CREATE USER shop"),
    ("variable \"db_password\" {\n  default = \"T3rraform\"\n}", "T3rraform", "variable \"db_password\" {"),
    ("ALTER ROLE shop WITH PASSWORD 'Sq1-role';", "Sq1-role", "ALTER ROLE shop"),
)

_COMMANDS = (
    ("deploy --api-key Cl1-space --dry-run", "Cl1-space", "--dry-run"),
    ("deploy --api-key=Cl1-equals --dry-run", "Cl1-equals", "--dry-run"),
    ("login --password greenbottle --user a", "greenbottle", "--user a"),
    ("login --password 'two words 1' --user a", "two words 1", "--user a"),
    ("keytool -storepass Ke7-store -alias a", "Ke7-store", "-alias a"),
    ("mysql -h db -u root -pMy5ql-att shop", "My5ql-att", " shop"),
    ("mysqldump -p'My5ql-quo' shop", "My5ql-quo", " shop"),
    ("sshpass -p Ssh-p4ss ssh host", "Ssh-p4ss", " ssh host"),
    ("docker login -u acme -p D0cker-p r.example", "D0cker-p", "r.example"),
    ("echo Std1n-tok | docker login --password-stdin r.example", "Std1n-tok", "r.example"),
    ("echo 'root:Chp4sswd' | sudo chpasswd", "Chp4sswd", "| sudo chpasswd"),
    ("curl -u acme:Cur1-pw https://api.example", "Cur1-pw", "https://api.example"),
    ("curl --user 'acme:Cur1-long' https://api.example", "Cur1-long", "https://api.example"),
    ("curl -H 'X-Api-Key: H3ader-key' https://api.example", "H3ader-key", "https://api.example"),
    ("curl -b 'sid=C00kie-jar' https://api.example", "C00kie-jar", "https://api.example"),
    ("redis-cli -h h -a R3dis-cli ping", "R3dis-cli", " ping"),
    ("ldapsearch -D cn=a -w Ld4p-bind -b dc=x", "Ld4p-bind", "-b dc=x"),
    ("openssl rsa -passin pass:0penssl-p -in k", "0penssl-p", "-in k"),
    ("htpasswd -b f.htpasswd acme Htp-4ss", "Htp-4ss", "htpasswd -b f.htpasswd acme"),
    ("kubectl create secret generic s --from-literal=password=K8s-l1t", "K8s-l1t",
     "--from-literal=password="),
    ("use Bef0re-it as the password", "Bef0re-it", "as the password"),
    ("heroku config:set API_KEY=Her0ku-val -a acme", "Her0ku-val", "-a acme"),
    ("aws configure set aws_secret_access_key " + _fake("aw", 38), _fake("aw", 38), "aws configure set"),
    ("7z a -pZ1pped-up out.7z dir", "Z1pped-up", "out.7z dir"),
)

_HEADERS = (
    ("Authorization: Bearer he4der-b", "he4der-b", "Authorization: Bearer "),
    ("authorization: Basic YWNtZTpiYXNpYy1wdw==", "YWNtZTpiYXNpYy1wdw", "authorization: Basic "),
    ("Authorization: token t0ken-hdr", "t0ken-hdr", "Authorization: token "),
    ("Proxy-Authorization: Basic cHJveHk6cHc=", "cHJveHk6cHc", "Proxy-Authorization: Basic "),
    ("sent Bearer " + _fake("br", 30) + " and got 401", _fake("br", 30), "and got 401"),
    ("x-auth-token: xa-t0ken\r\nHost: h", "xa-t0ken", "Host: h"),
    ("PRIVATE-TOKEN: pr1v-tok", "pr1v-tok", "PRIVATE-TOKEN: "),
    ("Cookie: sid=s3ssion-a; theme=dark\nHost: h", "s3ssion-a", "Host: h"),
    ("Set-Cookie: session=s3t-cook; Path=/\nHost: h", "s3t-cook", "Host: h"),
    ("auth = (\"acme\", \"Tupl3-auth\")", "Tupl3-auth", "auth = (\"acme\", \""),
    ("sent Basic YWNtZTpodW50ZXIyMjI= to it", "YWNtZTpodW50ZXIyMjI", " to it"),
    ("PHPSESSID=" + _hex("p9", 24), _hex("p9", 24), "PHPSESSID="),
    ("Authorization: AWS4-HMAC-SHA256 Credential=x, Signature=" + _hex("a4", 62), _hex("a4", 62),
     "Authorization: AWS4-HMAC-SHA256"),
)

_PROSE = (
    ("the password is hunter2-a, do not tell", "hunter2-a", "do not tell"),
    ("The admin password is bluebottle.", "bluebottle", "The admin password is "),
    ("password for staging is Prose-f0r ok", "Prose-f0r", " ok"),
    ("password (staging): Par3nth", "Par3nth", "password (staging): "),
    ("my passphrase: correct4horse", "correct4horse", "my passphrase: "),
    ("the password is `B4ckticked` for now", "B4ckticked", "for now"),
    ("new root password → Arr0w-pw", "Arr0w-pw", "new root password"),
    ("bucket shop, key " + _AWS_ID + " secret 8sGx1vYt0pLq7uWz4nRbE2aKcJd6MfHo3iXyTgZz read only",
     "8sGx1vYt0pLq7uWz4nRbE2aKcJd6MfHo3iXyTgZz", "read only"),
    ("Access key x, secret 9wQz/not+a+real+secret/K3mJ2c0vTTb. It must", "9wQz/not+a+real+secret/K3mJ2c0vTTb",
     "It must"),
    ("DevEUI 70B3D57ED0061A17, AppKey 9E3F51C7A2B84D06E1F0773C5B9A2D48, ok",
     "9E3F51C7A2B84D06E1F0773C5B9A2D48", "70B3D57ED0061A17"),
    ("api key: " + _fake("ap", 20), _fake("ap", 20), "api key: "),
    ("the token of the crash server changed: " + _fake("tk", 20) + " . replace it", _fake("tk", 20),
     "replace it"),
    ("creds: acme / Cr3ds-pw", "Cr3ds-pw", "creds: acme / "),
    ("login: acme:L0gin-pw", "L0gin-pw", "login: acme:"),
    ("Password:\nN3xt-line\nthanks", "N3xt-line", "thanks"),
    ("**Password**: Mark-d0wn", "Mark-d0wn", "**Password**: "),
    ("le mot de passe est Fr4nçais.", "Fr4nçais", "le mot de passe est "),
    ("mot de passe de la base : Bas3-fr", "Bas3-fr", "mot de passe de la base : "),
    ("mdp: Mdp-fr4", "Mdp-fr4", "mdp: "),
    ("la clé d'API : " + _fake("cl", 20), _fake("cl", 20), "la clé d'API : "),
    ("das Passwort lautet D3utsch!x", "D3utsch!x", "das Passwort lautet "),
    ("Kennwort: Kenn-w0rt", "Kenn-w0rt", "Kennwort: "),
    ("Passwort für die DB ist Db-w0rt", "Db-w0rt", "Passwort für die DB ist "),
    ("der Token ist " + _fake("de", 24), _fake("de", 24), "der Token ist "),
    ("la contraseña es Esp4ñola", "Esp4ñola", "la contraseña es "),
    ("contraseña de la base: C0ntra-b", "C0ntra-b", "contraseña de la base: "),
    ("a senha é S3nha-pt", "S3nha-pt", "a senha é "),
    ("wachtwoord: W4chtw", "W4chtw", "wachtwoord: "),
    ("пароль: Par0l-ru", "Par0l-ru", "пароль: "),
    ("la clé secrète : " + _hex("cs", 20), _hex("cs", 20), "la clé secrète : "),
    ("le jeton d'accès : " + _hex("ja", 20), _hex("ja", 20), "le jeton d'accès : "),
    ("das Datenbankpasswort: T0llesPw", "T0llesPw", "das Datenbankpasswort: "),
    ("recovery phrase: able bacon cable dance eagle fable", "bacon cable dance", "recovery phrase: "),
    ("密码：Mima-88".replace("：", ": "), "Mima-88", "密码: "),
)

# (text, the secret in it, something in it that must stay)
FORMS = tuple(("here it is: " + secret + " (rotate)", secret, "(rotate)") for secret in VENDORS) + tuple(
    ("{\"log\": \"line\\n" + secret + "\\nend\"}", secret, "\\nend") for secret in VENDORS
) + _ADDRESSES + _ENVIRONMENT + _FILES + _CODE + _COMMANDS + _HEADERS + _PROSE

UNCHANGED = (
    "token count: 512", "max_tokens=4096", "MAX_TOKENS=4096", "\"max_tokens\": 4096",
    "the key idea is to cache the 3 lists", "primary_key: id", "sort_key = \"created_at\"",
    "SORT_KEY=created_at", "partition key: tenant_2024", "password field must be hashed with argon2id",
    "the password is stored hashed with bcrypt", "PasswordReset: done", "tokenizer: bert-base-uncased-2",
    "commit 1e4c9a7730bd52f8866aa1c3490de7f25b88c0d1 fixes it", "id: 5b1c0e64-19aa-4c7d-8f02-b3e97d20a6f4",
    "key: value", "public key: see docs/keys.md", "AUTH_MODE=oauth2", "SECRET_NAME=prod/db-4",
    "echo $API_KEY", "API_KEY=$API_KEY", "API_KEY=${ACME_API_KEY}", "API_KEY=$(pass show acme/key1)",
    "api_key: <your-key-1>", "apiKey: process.env.API_KEY_2", "api_key = os.environ[\"API_KEY\"]",
    "password: str", "token: string;", "password=None", "password=True", "password: Optional[str] = None",
    "\"password\": \"string\"", "token: null", "password=password",
    "login(user=user, password=password, token=self.token)", "const token = await getToken(user, 2);",
    "token = request.headers.get('X-Token')", "password = getpass.getpass('Password: ')",
    "secret: ${{ secrets.DEPLOY_KEY_2 }}", "key=exports/881.zip size=61.2MB", "get_key_for_task(task_id2)",
    "keyboard: us-intl-2", "the monkey=23 test", "author: acme2024team", "user_id=4711; token_type=bearer2",
    "password_reset_expires_at: 2026-03-01", "token expires after 24h", "the token is valid for 3600s",
    "JWT secret is rotated every 90 days", "password policy: at least 12 chars", "password: required",
    "password: must be 12 characters", "the password is required", "le mot de passe est obligatoire",
    "das Passwort ist falsch", "la contraseña es incorrecta", "Passwort-Reset: Link gilt 24h",
    "key takeaways: 3 points", "hot key: ctrl+shift+4", "foreign key: orders.customer_id2",
    "http://localhost:3000/@acme/shop", "https://unpkg.example:443/pkg@1.2.3",
    "see https://docs.example/keys?page=2#tokens", "git@github.com:acme/shop.git",
    "mailto:ann@acme-shop.example", "ssh deploy@10.0.0.4 -p 2222", "docker run -u 1000:1000 -p 8080:80 x",
    "mysql -u root -p shop", "curl -u \"$USER:$PASS\" https://x.example", "Authorization: Bearer $TOKEN",
    "Authorization: Bearer <token>", "headers={\"Authorization\": f\"Bearer {token}\"}",
    "bearer authentication is used", "Basic authentication over TLS 1.3", "credentials: 'include'",
    "fetch(url, { credentials: \"same-origin\" })", "\"jsonwebtoken\": \"^9.0.2\"",
    "secretKeyRef:\n  name: db\n  key: password", "SSL_KEY=/etc/ssl/private/acme.key",
    "ssh -i ~/.ssh/id_ed25519 host", "IdentityFile ~/.ssh/acme_key2",
    "postgres://shop:password@localhost/shop", "postgres://$DB_USER:$DB_PASS@db/shop", "API_KEY=",
    "API_KEY=\nPORT=80", "password: ****", "api_key=xxxxxxxxxxxx", "token=[redacted]", "API_KEY=[redacted]",
    "auth: oauth2", "auth: none", "cache_key = f\"user:{user_id}:v2\"",
    "idempotency key ab_0004-2026-03 already used", "node_modules/js-tokens/index.js:12",
    "task-4711-sk-learn-pipeline", "a risk-based approach for the whole team", "pre_release_candidate_2",
    "the pass rate: 98.2%", "cookie: SameSite=Lax, HttpOnly", "GPG key 4AEE18F83AFDEB23",
    "pass utf8 and v2 to it", "API key is in 1Password", "the access token is a jwt with 3 parts",
    "password hashing: argon2id, 64MB, t=3", "signature: HMAC-SHA256 over body",
    "we keep the API token in the repository's secrets (ACME_TOKEN_2)", "tests pass: 312, fail: 2",
    "first pass: 12 files", "pwd: /home/acme/shop", "PWD=/home/acme/shop", "bypass=2",
    "salt and pepper: 2 spoons", "signature: def load(path, mode2=None)",
    "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUZ\n-----END CERTIFICATE-----",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE4f acme@host",
    "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", "token bucket: 100req/s, burst 20",
    "eos_token_id: 50256", "next_page_token: 4fa82c7712", "Secrets: never commit them to git 2x",
    "the secret santa list has 14 names", "credentials live in 1password, vault 3", "clé primaire : id_2",
    "la clé du problème : 3 requêtes", "Schlüssel ist (tenant, day2)", "the key is (user_id, day) since v2.1",
    "password: !secret wifi_password", "password: ENC[AES256,data:x1]", "op://acme/db/password",
    "DB_PASSWORD=op://acme/db/password", "SecretStr: pydantic 2.5",
    "wifi password printed on the box, page 3",
)
