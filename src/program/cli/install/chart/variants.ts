import type { KubeObject } from "../../../../language/object/meta.ts";

/** One value that decides which objects are installed. Of its cases the first whose condition holds counts. */
export interface Dimension<C extends string = string> {
  readonly cases: readonly {
    readonly name: C;
    /** Of a template's `if`. The last case has none. */
    readonly condition?: string;
  }[];
}

/** All objects of one combination of cases, in the order of the dimensions. */
export interface Variant {
  readonly choice: readonly string[];
  readonly objects: readonly KubeObject[];
}

/** Which version of an object a chart installs. `undefined`: none. */
export type Tree =
  | { readonly type: "leaf"; readonly object: KubeObject | undefined }
  | { readonly type: "branch"; readonly cases: readonly { readonly condition?: string; readonly tree: Tree }[] };

/** Every combination of the cases of all dimensions. */
export function combinations(dimensions: readonly Dimension[]): string[][] {
  return dimensions.reduce<string[][]>(
    (all, { cases }) => all.flatMap((choice) => cases.map(({ name }) => [...choice, name])),
    [[]],
  );
}

/** Each object by what it depends on: it has branches only for the dimensions that change it. */
export function treesOf(
  dimensions: readonly Dimension[],
  variants: readonly Variant[],
): { readonly id: string; readonly tree: Tree }[] {
  const ids = new Set(variants.flatMap(({ objects }) => objects.map(idOf)));
  return [...ids].map((id) => {
    const rows = variants.map(({ choice, objects }) => ({ choice, object: objects.find((one) => idOf(one) === id) }));
    return { id, tree: treeOf(dimensions, rows) };
  });
}

export function idOf({ kind, metadata: { namespace = "", name } }: KubeObject): string {
  return `${kind}/${name}/${namespace}`;
}

interface Row {
  readonly choice: readonly string[];
  readonly object: KubeObject | undefined;
}

function treeOf([dimension, ...rest]: readonly Dimension[], rows: readonly Row[]): Tree {
  if (!dimension) return { type: "leaf", object: rows[0]?.object };
  const cases = dimension.cases.map(({ name, condition }) => ({
    ...(condition === undefined ? {} : { condition }),
    tree: treeOf(
      rest,
      rows
        .filter(({ choice }) => choice[0] === name)
        .map(({ choice, object }) => ({ choice: choice.slice(1), object })),
    ),
  }));
  const last = JSON.stringify(cases.at(-1)?.tree);
  const different = cases.filter(({ tree, condition }) => condition === undefined || JSON.stringify(tree) !== last);
  return different.length === 1 ? different[0]!.tree : { type: "branch", cases: different };
}
