/** One fault in an object, worded as kubectl shows it: `spec.level: Invalid value: -1: should be at least 0`. */
export interface FieldError {
  reason: FieldErrorReason;
  /** `spec.containers[0].name`, `metadata.labels`, `data[key]`. */
  field: string;
  /** The part after the path: `Invalid value: -1: should be at least 0`. */
  message: string;
}

export type FieldErrorReason =
  | "FieldValueNotFound"
  | "FieldValueRequired"
  | "FieldValueDuplicate"
  | "FieldValueInvalid"
  | "FieldValueNotSupported"
  | "FieldValueForbidden"
  | "FieldValueTooLong"
  | "FieldValueTooMany"
  | "FieldValueTypeInvalid"
  | "InternalError";

export interface ErrorLimit {
  readonly errors: number;
  /** Of all messages together: a message repeats the value that it is about. */
  readonly characters: number;
}

/** More than a user reads. A hostile object of a few megabytes could have a million errors. */
const defaultLimit: ErrorLimit = { errors: 100, characters: 1024 * 1024 };

/** One validation. Thrown to end it when it has found too much. */
class Collection {
  readonly found: FieldError[] = [];
  readonly #limit: ErrorLimit;
  #characters = 0;

  constructor(limit: ErrorLimit) {
    this.#limit = limit;
  }

  add(error: FieldError): void {
    if (this.found.length >= this.#limit.errors || this.#characters > this.#limit.characters) throw this;
    this.found.push(error);
    this.#characters += error.field.length + error.message.length;
  }
}

/** Innermost last. Validation is synchronous, so that it is empty between two validations. */
const running: Collection[] = [];

/**
 * The errors that a synchronous validation finds. It is ended when it finds more than the limit: the last error then says so.
 * Inside another validation, its errors do not count for that one until they are passed to `counted`.
 */
export function collectErrors(validate: () => FieldError[], limit = defaultLimit): FieldError[] {
  const collection = new Collection(limit);
  running.push(collection);
  try {
    return validate();
  } catch (error) {
    if (error !== collection) throw error;
    const { found } = collection;
    const message = `Too many: only the first ${found.length} errors are shown`;
    return [...found, { reason: "FieldValueTooMany", field: "<nil>", message }];
  } finally {
    running.pop();
  }
}

/** Every error passes here when it is made. Outside `collectErrors` there is no limit. */
export function counted(error: FieldError): FieldError {
  running.at(-1)?.add(error);
  return error;
}
