import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

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
});
