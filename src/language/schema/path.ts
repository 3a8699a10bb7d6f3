/** Paths of fields as kube-apiserver writes them: `spec.items[0].name`, `data[key]`. */
export function child(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

export function index(path: string, position: number): string {
  return `${path}[${position}]`;
}

/** A key of a map, which the user chose and the schema does not name. */
export function key(path: string, name: string): string {
  return `${path}[${name}]`;
}
