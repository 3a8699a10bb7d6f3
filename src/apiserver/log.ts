/** Where the server says what happens to it. The program that starts it decides where that goes. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };
