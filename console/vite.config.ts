import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

/** The console of a running `attune up`: with `npm run dev`, what the page asks for goes there. */
const target = process.env["ATTUNE_CONSOLE"];

/** Keeps texts compressed alone: the server sends them so, and every browser reads them. */
const compressed: Plugin = {
  name: "attune-compressed",
  apply: "build",
  // At the end: until then, Vite itself changes the texts of chunks.
  writeBundle({ dir = "" }, bundle) {
    for (const name of Object.keys(bundle)) {
      if (!/\.(js|css|svg)$/.test(name)) continue;
      const file = join(dir, name);
      // The best two levels take ten times as long for a tenth less.
      const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
      writeFileSync(`${file}.br`, brotliCompressSync(readFileSync(file), { params }));
      rmSync(file);
    }
  },
};

/** Leaves out faces that nothing is set in: headings have the face of texts, and nothing is in italics. */
const fewerFonts: Plugin = {
  name: "attune-fewer-fonts",
  enforce: "pre",
  transform(code, id) {
    if (!id.includes("/react-core/dist/styles/base.css")) return undefined;
    return code.replaceAll(/@font-face \{[^}]*(Red Hat Display|font-style: italic)[^}]*\}/g, "");
  },
};

/** Names the packages of npm that the page contains: images list them with their licences. */
const noted: Plugin = {
  name: "attune-noted",
  apply: "build",
  generateBundle(_, bundle) {
    const names = Object.values(bundle)
      .flatMap((file) => (file.type === "chunk" ? file.moduleIds : []))
      .flatMap((id) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1] ?? []);
    const source = JSON.stringify([...new Set(names)].toSorted());
    this.emitFile({ type: "asset", fileName: "packages.json", source });
  },
};

export default defineConfig({
  plugins: [react(), fewerFonts, noted, compressed],
  build: {
    outDir: "../dist/console",
    emptyOutDir: true,
    target: "es2023",
    // The content security policy admits files of the server alone: no data URLs, no inline scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  worker: { format: "es" },
  // The console accepts its own Host and Origin alone, so the proxy sends those.
  ...(target === undefined
    ? {}
    : { server: { proxy: { "/api": { target, changeOrigin: true, headers: { origin: new URL(target).origin } } } } }),
});
