// Preloaded by scripts/bundle.mjs: at the end of a run, writes the code that V8 compiled of each file that the program
// loaded, beside that file. src/program/cli/load-compiled.ts reads it.
const { writeFileSync } = require("node:fs");
const vm = require("node:vm");

const scripts = new Map();
vm.Script = class extends vm.Script {
  constructor(source, options) {
    super(source, options);
    scripts.set(options.filename, this);
  }
};
process.on("exit", () => {
  for (const [file, script] of scripts) writeFileSync(`${file}.code`, script.createCachedData());
});
