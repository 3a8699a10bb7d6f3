/** How often tuning has failed with the same inputs. */
export function failureText(node: string, attempt = 1): string {
  const times = attempt === 1 ? "" : attempt === 2 ? " twice" : ` ${attempt} times`;
  return `tuning of ${node} failed${times}`;
}
