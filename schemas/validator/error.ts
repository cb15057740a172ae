/** One way in which data does not fit its schema. */
export interface SchemaError {
  /** Where: the keys from the root. For an unknown or a missing field the path of the object it would stand in. */
  path: string[];
  /**
   * The keyword of JSON Schema that does not hold: `additionalProperties`, `required`, `type`, `enum` … and
   * `exactlyOne` where an object must have exactly one of some fields (`params.choices`).
   */
  keyword: string;
  /** What the keyword says, such as `{additionalProperty: 'replica'}` or `{allowedValues: ['InPlace', 'Recreate']}`. */
  params: Record<string, unknown>;
  /** A short sentence without the path. */
  message: string;
}
