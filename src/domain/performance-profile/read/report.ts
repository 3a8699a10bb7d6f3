import type { FieldError } from "../../../language/schema/field-error.ts";

/** Takes a fault that makes a profile unusable, under its name. */
export type Report = (name: string, fault: FieldError) => void;
