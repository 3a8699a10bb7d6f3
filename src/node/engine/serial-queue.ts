/** Runs one operation at a time, in the order of the calls. A rejection does not stop later operations. */
export function serialQueue(): <T>(operation: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (operation) => {
    const result = last.then(operation);
    last = result.catch(() => undefined);
    return result;
  };
}
