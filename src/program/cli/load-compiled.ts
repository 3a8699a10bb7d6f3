import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { Script } from "node:vm";

/**
 * `require` of a bundled file, with V8's code cache: a short command is not compiled again at each start. Beside each file
 * `scripts/bundle.mjs` writes what V8 compiled of it (`.code`). V8 refuses a cache of another version, other flags or another
 * length of the source, and then compiles the file as usual.
 */
export function loadCompiled(file: string): unknown {
  const script = new Script(
    `(function (exports, require, module, __filename, __dirname) {${readFileSync(file, "utf8")}\n})`,
    { filename: file, cachedData: codeOf(file) },
  );
  const module = { exports: {} };
  script.runInThisContext().call(module.exports, module.exports, require, module, file, dirname(file));
  return module.exports;
}

function codeOf(file: string): Buffer | undefined {
  try {
    return readFileSync(`${file}.code`);
  } catch {
    return undefined;
  }
}
