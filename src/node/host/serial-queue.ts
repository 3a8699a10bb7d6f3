/** Runs an operation while no other one runs. */
export type Exclusive = <T>(operation: () => Promise<T>) => Promise<T>;

/** Runs one operation at a time, in the order of the calls. A rejection does not stop later operations. */
export function serialQueue(): Exclusive {
  let last: Promise<unknown> = Promise.resolve();
  return (operation) => {
    const result = last.then(operation);
    last = result.catch(() => undefined);
    return result;
  };
}
