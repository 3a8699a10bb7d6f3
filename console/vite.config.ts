import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** The console of a running `attune up`: with `npm run dev`, what the page asks for goes there. */
const target = process.env["ATTUNE_CONSOLE"];

export default defineConfig({
  plugins: [react()],
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
