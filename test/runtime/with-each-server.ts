import { afterAll, beforeAll, describe } from "vitest";
import { serverVariants, type ServerUnderTest } from "../servers/server-under-test.ts";

/** Defines the same tests for the embedded and the real server. */
export function withEachServer(title: string, define: (server: () => ServerUnderTest) => void): void {
  for (const variant of serverVariants())
    describe(`${title}, on the ${variant.name} server`, () => {
      let server: ServerUnderTest;
      beforeAll(async () => {
        server = await variant.start();
      });
      afterAll(() => server.close());
      define(() => server);
    });
}
