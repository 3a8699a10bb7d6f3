/** As much of Protocol Buffers as the messages of a container runtime need. */

/** A field of a message: its bytes where it has a length; numbers are skipped. */
export interface Field {
  readonly number: number;
  readonly bytes: Uint8Array;
}

const varint = 0;
const fixed64 = 1;
const delimited = 2;
const fixed32 = 5;

/** The fields of a message that have a length: texts, bytes and messages. Throws where the bytes are no message. */
export function* fieldsOf(message: Uint8Array): Generator<Field> {
  let at = 0;
  const number = (): number => {
    let value = 0;
    // Ten bytes hold 64 bits. What is read as a number here, keys and lengths, is far below 2^53.
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = message[at++];
      if (byte === undefined) throw new Error("the message ends within a number");
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw new Error("a number has more than ten bytes");
  };
  while (at < message.length) {
    const key = number();
    const type = key % 8;
    if (type === varint) number();
    else if (type === fixed64) at += 8;
    else if (type === fixed32) at += 4;
    else if (type === delimited) {
      const length = number();
      const bytes = message.subarray(at, at + length);
      if (bytes.length !== length) throw new Error("the message ends within a field");
      at += length;
      yield { number: Math.floor(key / 8), bytes };
    } else throw new Error(`a field of type ${type}`);
  }
  if (at > message.length) throw new Error("the message ends within a number");
}

/** An entry of a map with texts as keys and values. */
export function entryOf(message: Uint8Array): readonly [key: string, value: string] {
  let [key, value] = ["", ""];
  for (const { number, bytes } of fieldsOf(message)) {
    if (number === 1) key = textOf(bytes);
    else if (number === 2) value = textOf(bytes);
  }
  return [key, value];
}

export function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}

export function textField(number: number, text: string): Uint8Array {
  const bytes = Buffer.from(text, "utf8");
  return Buffer.concat([numberBytes(number * 8 + delimited), numberBytes(bytes.length), bytes]);
}

export function trueField(number: number): Uint8Array {
  return Buffer.concat([numberBytes(number * 8 + varint), numberBytes(1)]);
}

function numberBytes(value: number): Uint8Array {
  const bytes: number[] = [];
  for (; value >= 0x80; value = Math.floor(value / 0x80)) bytes.push((value % 0x80) + 0x80);
  return Uint8Array.from([...bytes, value]);
}
