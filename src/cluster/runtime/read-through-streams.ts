import type { Server } from "node:tls";

/**
 * For servers whose clients keep connections of HTTP/1.1. Node's parser otherwise reads a TLS connection without its stream.
 * Where a request with a body follows on a response of which Node is still sending the last bytes, Node pauses the parser and
 * hands it more of the body all the same: it fails with HPE_PAUSED, and the client sees its connection reset. With a
 * listener for data, Node reads through the stream, which it pauses together with the parser.
 */
export function readThroughStreams(server: Server): void {
  server.on("secureConnection", (socket) => {
    if (socket.alpnProtocol !== "h2") socket.on("data", () => {});
  });
}
