import { createHash, randomBytes } from "node:crypto";
import type { Duplex } from "node:stream";

/** Of one message: a server that sends more is not the one that was asked. */
const mostBytes = 16 << 20;
const magic = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

const continuation = 0;
const close = 8;
const ping = 9;

/** Headers that ask for a WebSocket (RFC 6455) with one of these protocols, and the answer that proves that it is one. */
export function handshake(protocols: readonly string[]) {
  const key = randomBytes(16).toString("base64");
  return {
    accept: createHash("sha1").update(`${key}${magic}`).digest("base64"),
    headers: {
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": key,
      "sec-websocket-protocol": protocols.join(", "),
    },
  };
}

/** The messages of the server until it closes the connection properly. Answers pings. Throws where frames break the protocol. */
export async function* messagesOf(socket: Duplex): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  let parts: Buffer[] = [];
  for await (const chunk of socket) {
    rest = rest.length === 0 ? (chunk as Buffer) : Buffer.concat([rest, chunk as Buffer]);
    for (let frame = frameAt(rest); frame; frame = frameAt(rest)) {
      rest = rest.subarray(frame.end);
      const { opcode, payload } = frame;
      if (opcode === close) {
        socket.end(ownFrame(close, payload));
        return;
      }
      if (opcode === ping) socket.write(ownFrame(ping + 1, payload));
      // Control frames may come between the parts of a message.
      if (opcode > 2) continue;
      if ((opcode === continuation) !== parts.length > 0) throw new Error("a part of no message arrived");
      parts.push(payload);
      if (parts.reduce((sum, { length }) => sum + length, 0) > mostBytes) throw tooLong();
      if (!frame.final) continue;
      yield Buffer.concat(parts);
      parts = [];
    }
  }
}

interface Frame {
  readonly final: boolean;
  readonly opcode: number;
  readonly payload: Buffer;
  /** Where the next one begins. */
  readonly end: number;
}

/** Undefined: it has not arrived as a whole. */
function frameAt(bytes: Buffer): Frame | undefined {
  if (bytes.length < 2) return undefined;
  const short = bytes.readUInt8(1);
  // Frames of servers have no mask.
  if (short > 127) throw new Error("the server masked a frame");
  const start = short === 127 ? 10 : short === 126 ? 4 : 2;
  if (bytes.length < start) return undefined;
  const length = short === 127 ? Number(bytes.readBigUInt64BE(2)) : short === 126 ? bytes.readUInt16BE(2) : short;
  if (length > mostBytes) throw tooLong();
  const end = start + length;
  if (bytes.length < end) return undefined;
  const first = bytes.readUInt8(0);
  return { final: first > 127, opcode: first & 15, payload: bytes.subarray(start, end), end };
}

/** A control frame: clients mask theirs, and they have at most 125 bytes. */
function ownFrame(opcode: number, payload: Buffer): Buffer {
  const mask = randomBytes(4);
  const body = Buffer.from(payload.subarray(0, 125));
  for (let at = 0; at < body.length; at++) body[at]! ^= mask[at % 4]!;
  return Buffer.concat([Buffer.from([0x80 | opcode, 0x80 | body.length]), mask, body]);
}

function tooLong(): Error {
  return new Error(`a message has more than ${mostBytes} bytes`);
}
