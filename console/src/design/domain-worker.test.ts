import { brotliCompressSync } from "node:zlib";
import { build } from "esbuild";
import { expect, it } from "vitest";

it.each([
  ["with its libraries", [], 180],
  ["our own code alone", ["re2js", "yaml"], 110],
])("the worker imports no module of Node.js, and is small: %s", async (_, external, kilobytes) => {
  const { outputFiles } = await build({
    entryPoints: [new URL("domain-worker.ts", import.meta.url).pathname],
    bundle: true,
    write: false,
    minify: true,
    format: "esm",
    target: "es2023",
    // It resolves no `node:` module: the build fails if there is one.
    platform: "browser",
    external,
  });
  const [worker] = outputFiles;
  expect(outputFiles).toHaveLength(1);
  expect(brotliCompressSync(worker.contents).length).toBeLessThan(kilobytes * 1024);
});
