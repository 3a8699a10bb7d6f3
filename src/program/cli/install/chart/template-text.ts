import type { KubeObject } from "../../../../language/object/meta.ts";
import { writeYaml } from "../../../../language/object/write-yaml.ts";
import type { Tree } from "./variants.ts";

/** A text in manifests that stands for a value of the chart. */
export interface Placeholder {
  readonly text: string | number;
  /** What the template has in its place. */
  readonly value: string;
}

/** The template of one object: its YAML in the branches of a tree, with values in place of placeholders. */
export function templateText(tree: Tree, placeholders: readonly Placeholder[]): string {
  if (tree.type === "leaf") return tree.object ? `---\n${objectText(tree.object, placeholders)}` : "";
  const parts = tree.cases.map(({ condition, tree: then }, index) => {
    const text = templateText(then, placeholders);
    if (condition === undefined) return text === "" ? "" : `{{- else }}\n${text}`;
    return `{{- ${index === 0 ? "if" : "else if"} ${condition} }}\n${text}`;
  });
  return `${parts.join("")}{{- end }}\n`;
}

function objectText(object: KubeObject, placeholders: readonly Placeholder[]): string {
  // Alerts have templates of their own, which Prometheus fills in.
  const escaped = writeYaml(object).replaceAll("{{", '{{ "{{" }}');
  return placeholders.reduce((text, { text: placeholder, value }) => {
    if (typeof placeholder === "number") return text.replaceAll(`: ${placeholder}\n`, `: {{ ${value} }}\n`);
    // A value that is a whole scalar is quoted: YAML would read a namespace `1e3` as a number.
    const whole = new RegExp(`(?<=[:-] )${placeholder}$`, "gm");
    return text.replaceAll(whole, `{{ ${value} | quote }}`).replaceAll(placeholder, `{{ ${value} }}`);
  }, escaped);
}
