import { writeYaml } from "../../../language/object/write-yaml.ts";
import { printable } from "../terminal/terminal.ts";
import { installedAssets, readInstallConfigFile, withFiles } from "./install-config.ts";
import { type RenderFlags, type RenderOptions, renderOptions } from "./options.ts";
import { readAssets } from "./read-assets.ts";
import { type Rendered, renderAssets } from "./render-assets.ts";
import { type SortedAssets, sortAssets } from "./sort-assets.ts";
import { writeFiles } from "./write-files.ts";

export interface RenderContext {
  readonly err: (text: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** `attune render`: reads manifests and writes manifests. Prints only problems and warnings. Returns the exit code. */
export async function render(flags: RenderFlags, { err, env }: RenderContext): Promise<number> {
  const options = renderOptions(flags, env);
  const read = await readAssets(options.inputs);
  const rendered = await rendering(sortAssets(read.assets), options);
  const problems = [...read.problems, ...(rendered.type === "refused" ? rendered.problems : [])];
  for (const line of rendered.warnings) err(`warning: ${printable(line)}\n`);
  for (const line of problems) err(`error: ${printable(line)}\n`);
  if (rendered.type === "refused" || problems.length > 0) return 1;
  writeFiles(
    options.output,
    rendered.files.map(({ name, object }) => ({ name, text: writeYaml(object) })),
  );
  return 0;
}

async function rendering(assets: SortedAssets, options: RenderOptions): Promise<Rendered> {
  const { owner, pool, plain, root, installConfig: file } = options;
  if (file !== undefined) {
    const installed = installedAssets(assets, await readInstallConfigFile(file), { file, plain });
    return withFiles(renderAssets(installed.assets, { owner, plain }), installed.files);
  }
  if (pool === undefined) return renderAssets(assets, { owner, plain });
  // Loaded only here: the TuneD language and all base profiles are large.
  const { renderPool } = await import("./boot/run.ts");
  return renderPool(assets, pool, root);
}
