import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { readYaml } from "../../../../language/object/yaml.ts";
import type { RenderFlags } from "../options.ts";
import { render } from "../render.ts";

export interface Outcome {
  readonly code: number;
  /** Without the name of the folder that all is in. */
  readonly stderr: readonly string[];
}

/** Folders of files for one test, and the command run on them. */
export class AssetFolders {
  readonly #root = mkdtempSync(join(tmpdir(), "attune-render-"));
  readonly output = join(this.#root, "made/here");

  constructor(...folders: readonly Readonly<Record<string, string>>[]) {
    onTestFinished(() => rmSync(this.#root, { recursive: true, force: true }));
    for (const [index, files] of folders.entries()) {
      mkdirSync(this.path(`in${index}`));
      for (const [name, text] of Object.entries(files)) this.write(`in${index}/${name}`, text);
    }
  }

  path(name: string): string {
    return join(this.#root, name);
  }

  write(name: string, text: string): void {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), text);
  }

  /** The input folders, in order. */
  get inputs(): string[] {
    return readdirSync(this.#root)
      .filter((name) => name.startsWith("in"))
      .map((name) => this.path(name));
  }

  async render(flags: Partial<RenderFlags> = {}, env: Readonly<Record<string, string>> = {}): Promise<Outcome> {
    let printed = "";
    const given = { root: "/", assetInputDir: this.inputs, assetOutputDir: this.output, ...flags };
    const code = await render(given, { err: (text) => void (printed += text), env });
    const stderr = printed.replaceAll(`${this.#root}/`, "").split("\n").slice(0, -1);
    return { code, stderr };
  }

  /** What was written, by the names of files. */
  written(): Map<string, KubeObject> {
    if (!statSync(this.output, { throwIfNoEntry: false })) return new Map();
    const names = readdirSync(this.output).toSorted();
    return new Map(names.map((name) => [name, readYaml(readFileSync(join(this.output, name), "utf8")) as KubeObject]));
  }

  names(): string[] {
    return [...this.written().keys()];
  }
}
