import type { Frame } from "../../protocol/frames.ts";

/** The frames of a stream, one JSON text a line. */
export async function* readFrames(body: ReadableStream<Uint8Array>): AsyncGenerator<Frame> {
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + value).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (line !== "") yield JSON.parse(line) as Frame;
    }
  } finally {
    await reader.cancel().catch(() => {
      // The connection is gone already.
    });
  }
}
