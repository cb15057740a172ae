import type { SchemaError } from './error.ts';

/** The schema of a kind that plans are made for. */
export interface TargetSchema {
  group: string;
  kind: string;
  /** `FILE#/definitions/NAME`, the file by its path below `schemas/`. */
  definition: string;
  /** The schema violations of an object, sorted by path. */
  validate(this: void, object: unknown): SchemaError[];
}
