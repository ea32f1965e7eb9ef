"""A decision model of 100 kB with invented weights, so that llama.cpp's own server can be asked without a download.

It understands nothing: what it answers is arbitrary, but always the same, and in the server's true form.
"""

from __future__ import annotations

import math
import random
import struct

WIDTH = 32
CONTEXT = 65_536
_NUMBER, _REAL, _STRING, _LIST, _WHOLE = 4, 6, 8, 9, 5
_ALIGNMENT = 32
_ORDINARY, _CONTROL = 1, 3
_PROMPT = ("{{ state | tojson }}\n{{ instructions }}\n"
           "{% for option in options %}{{ option.key }}: {{ option.description }}\n{% endfor %}")


def write(path: str) -> None:
    """Write the model file."""
    tokens = _byte_tokens() + ["<|end|>"]
    facts, shapes = _facts(tokens), _shapes(len(tokens))
    chance = random.Random(1)
    table, data = b"", b""
    for name, shape in shapes.items():
        table += _text(name) + struct.pack("<I%dQIQ" % len(shape), len(shape), *shape, 0, len(data))
        values = [1.0 if len(shape) == 1 else chance.gauss(0, 0.3) for _ in range(math.prod(shape))]
        data += struct.pack("<%df" % len(values), *values)
    head = b"GGUF" + struct.pack("<IQQ", 3, len(shapes), len(facts))
    head += b"".join(_text(key) + value for key, value in facts.items()) + table
    with open(path, "wb") as file:
        file.write(head + bytes(-len(head) % _ALIGNMENT) + data)


def _byte_tokens() -> list[str]:
    """A token for each byte, named as byte-level vocabularies do: printable bytes by themselves, others from 256 on."""
    printable = set(range(33, 127)) | set(range(161, 173)) | set(range(174, 256))
    others = iter(range(256, 512))
    return [chr(byte) if byte in printable else chr(next(others)) for byte in range(256)]


def _facts(tokens: list[str]) -> dict[str, bytes]:
    end = len(tokens) - 1
    return {
        "general.architecture": _string("llama"),
        "llama.block_count": _number(1),
        "llama.context_length": _number(CONTEXT),
        "llama.embedding_length": _number(WIDTH),
        "llama.feed_forward_length": _number(WIDTH),
        "llama.attention.head_count": _number(1),
        "llama.attention.head_count_kv": _number(1),
        "llama.attention.layer_norm_rms_epsilon": struct.pack("<If", _REAL, 1e-5),
        "llama.rope.dimension_count": _number(WIDTH),
        "llama.decision.type": _string("openjev"),
        "tokenizer.ggml.model": _string("gpt2"),
        "tokenizer.ggml.pre": _string("gpt-2"),
        "tokenizer.ggml.tokens": struct.pack("<IIQ", _LIST, _STRING, len(tokens)) + b"".join(map(_text, tokens)),
        "tokenizer.ggml.token_type": struct.pack("<IIQ%di" % len(tokens), _LIST, _WHOLE, len(tokens),
                                                 *[_ORDINARY] * end, _CONTROL),
        "tokenizer.ggml.merges": struct.pack("<IIQ", _LIST, _STRING, 0),
        "tokenizer.ggml.bos_token_id": _number(end),
        "tokenizer.ggml.eos_token_id": _number(end),
        "tokenizer.chat_template.systemone": _string(_PROMPT),
    }


def _shapes(tokens: int) -> dict[str, tuple[int, ...]]:
    square = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")
    shapes = {"token_embd.weight": (WIDTH, tokens), "output.weight": (WIDTH, tokens), "output_norm.weight": (WIDTH,),
              "blk.0.attn_norm.weight": (WIDTH,), "blk.0.ffn_norm.weight": (WIDTH,)}
    shapes.update(("blk.0.%s.weight" % name, (WIDTH, WIDTH)) for name in square)
    return shapes


def _text(value: str) -> bytes:
    encoded = value.encode("utf-8")
    return struct.pack("<Q", len(encoded)) + encoded


def _string(value: str) -> bytes:
    return struct.pack("<I", _STRING) + _text(value)


def _number(value: int) -> bytes:
    return struct.pack("<II", _NUMBER, value)
