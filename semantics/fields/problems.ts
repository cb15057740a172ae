/** A field with an invalid value, and the rule that it breaks. */
export interface InvalidField {
  /** From the object's root. */
  path: string[];
  /** The rest of a sentence that starts with the path: `must be …`. */
  rule: string;
  /** What to do, as an imperative without a full stop; omitted: the rule says it. */
  help?: string;
  /** Report it at its key: the value is nothing to show, nor is its length. */
  at?: 'key';
  /** It is about how many units there are in all and how these are split, and not about one value. */
  isSplit?: true;
  /** Only at the number of units that kruise.yaml assumes: a cluster may have more, so that it is no error. Omitted: at any number. */
  isAssumed?: true;
}

/** An invalid field as a text: its path and the rule, such as `spec.replicas must be …`. */
export function problemText({ path, rule }: Pick<InvalidField, 'path' | 'rule'>): string {
  return `${path.join('.')} ${rule}`;
}

/** A field that needs rules which are not executed. */
export interface UnsupportedField {
  /** From the object's root. */
  path: string[];
  /** The feature that would be ignored if the rollout continued. */
  what: string;
}
