import type { KubeObject } from "../../../../language/object/meta.ts";
import type { ObjectReader } from "../../storage/store-reader.ts";

/** A reader of objects by `collection/namespace/name`, which sets their metadata. */
export function storeOf(objects: Readonly<Record<string, object>>): ObjectReader {
  const all = Object.entries(objects).map(([path, object]) => {
    const [collection, namespace = "", name = ""] = path.split("/");
    return {
      collection,
      key: `${namespace}/${name}`,
      object: { metadata: { namespace, name }, ...object } as KubeObject,
    };
  });
  return {
    get: (collection, key) => all.find((one) => one.collection === collection && one.key === key)?.object,
    list: (collection) => all.filter((one) => one.collection === collection).map(({ object }) => object),
    changedAt: () => 1,
  };
}
