import type { KubeObject } from "../../../language/object/meta.ts";

/** Objects as kubectl reads them: YAML documents, or one List in JSON. The same objects always give the same text. */
export async function printObjects(objects: readonly KubeObject[], format: "json" | "yaml"): Promise<string> {
  if (format === "json") return `${JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }, null, 2)}\n`;
  const { writeYaml } = await import("../../../language/object/write-yaml.ts");
  return objects.map((object) => `---\n${writeYaml(object)}`).join("");
}

/** Data as `-o json` and `-o yaml` print it. */
export async function serialised(data: unknown, format: "json" | "yaml"): Promise<string> {
  if (format === "json") return `${JSON.stringify(data, null, 2)}\n`;
  const { writeYaml } = await import("../../../language/object/write-yaml.ts");
  return writeYaml(data);
}
