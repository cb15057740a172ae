/** One schema violation. */
export interface SchemaError {
  /** The path from the root. For unknown and missing fields, the path of the parent object. */
  path: string[];
  /**
   * The violated JSON Schema keyword: `additionalProperties`, `required`, `type`, `enum` … and `exactlyOne` where
   * an object must have exactly one of some fields (`params.choices`).
   */
  keyword: string;
  /**
   * The parameters of the keyword, such as `{additionalProperty: 'replica'}` or `{allowedValues: ['InPlace',
   * 'Recreate']}`.
   */
  params: Record<string, unknown>;
  /** A short sentence without the path. */
  message: string;
}
