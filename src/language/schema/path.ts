/** How the server writes where a fault is: `spec.items[0].name`, `data[key]`. */
export function child(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

export function index(path: string, position: number): string {
  return `${path}[${position}]`;
}

/** A name under which users, not the schema, chose to file something. */
export function key(path: string, name: string): string {
  return `${path}[${name}]`;
}
