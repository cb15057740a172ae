/** A field that no target of the kind may have so, and what is wrong with it. */
export interface InvalidField {
  /** From the object's root. */
  path: string[];
  /** Follows the path in a sentence: `must be …`. */
  rule: string;
}

/** A field that asks for rules which are not executed. */
export interface UnsupportedField {
  /** From the object's root. */
  path: string[];
  /** What would be ignored if the rollout went on. */
  what: string;
}
