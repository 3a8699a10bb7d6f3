import { createServer, type AddressInfo } from "node:net";

/** A port nobody listens on. Those asked for at the same time differ: the kernel hands out none twice in a row. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
