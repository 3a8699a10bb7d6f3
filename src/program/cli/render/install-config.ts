import { readFileSync } from "node:fs";
import {
  infrastructureOf,
  type InstallConfig,
  partitioningConfigMapOf,
  readInstallConfig,
} from "../../../domain/workload-partitioning/install-config.ts";
import { at, isObject } from "../../../language/object/json.ts";
import { parseDocuments } from "../../manifest/parse-documents.ts";
import type { Rendered, RenderedFile } from "./render-assets.ts";
import type { SortedAssets } from "./sort-assets.ts";

/** As the installer of OpenShift names the manifest. */
const infrastructureFile = "cluster-infrastructure-02-config.yml";
const configMapFile = "attune-partitioning_configmap.yaml";

/** The assets of an installation with this config, and the manifest that says it in the new cluster. */
export interface InstalledAssets {
  readonly assets: SortedAssets;
  readonly files: readonly RenderedFile[];
}

export async function readInstallConfigFile(file: string): Promise<InstallConfig> {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new Error(`--install-config ${file}: ${(error as Error).message}`, { cause: error });
  }
  const [document, ...more] = await parseDocuments(file, text);
  const problem = (line: string): InstallConfig => ({ type: "problems", problems: [line] });
  if (!document) return problem("the file is empty");
  if ("problem" in document) return problem(document.problem);
  if (more.length > 0) return problem("the file has several documents: an install config is one");
  return readInstallConfig(document.value);
}

/** An Infrastructure among the assets keeps its other fields; it must not say something else about partitioning. */
export function installedAssets(
  assets: SortedAssets,
  config: InstallConfig,
  { file, plain }: { readonly file: string; readonly plain: boolean },
): InstalledAssets {
  if (config.type === "problems")
    return {
      assets: withProblems(
        assets,
        config.problems.map((line) => `${file}: ${line}`),
      ),
      files: [],
    };
  const { status } = config;
  const given = assets.infrastructure;
  const contradictions = Object.entries(status).flatMap(([field, value]) => {
    const said = at(given, "status", field);
    return said === undefined || said === value
      ? []
      : [
          `${file}: status.${field} of Infrastructure cluster among the manifests is ${JSON.stringify(said)}, not ${value}`,
        ];
  });
  const found = at(given, "status");
  const made = infrastructureOf(status);
  const infrastructure = given ? { ...made, ...given, status: { ...(isObject(found) ? found : {}), ...status } } : made;
  return {
    assets: withProblems({ ...assets, infrastructure }, contradictions),
    files: [
      plain
        ? { name: configMapFile, object: partitioningConfigMapOf(status) }
        : { name: infrastructureFile, object: infrastructure },
    ],
  };
}

/** The manifest of the installation comes first. */
export function withFiles(rendered: Rendered, files: readonly RenderedFile[]): Rendered {
  return rendered.type === "files" ? { ...rendered, files: [...files, ...rendered.files] } : rendered;
}

function withProblems(assets: SortedAssets, problems: readonly string[]): SortedAssets {
  return { ...assets, problems: [...assets.problems, ...problems] };
}
