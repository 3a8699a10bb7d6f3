/**
 * Why a patch cannot be applied, by HTTP status: `malformed` is 400, `unprocessable` 422, `too-large` 413, `internal` 500.
 * kube-apiserver answers 500 when an applied configuration does not fit its type.
 */
export type PatchErrorKind = "malformed" | "unprocessable" | "too-large" | "internal";

export class PatchError extends Error {
  readonly kind: PatchErrorKind;

  constructor(kind: PatchErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "PatchError";
    this.kind = kind;
  }
}
