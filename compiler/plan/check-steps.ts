import type { CheckItem } from '../../schemas/generated/types/config.ts';
import type { CheckStep, Step } from '../../schemas/generated/types/rolloutplan.ts';
import { byText } from '../text/order.ts';
import { withoutTrailing } from '../../semantics/values/text.ts';

const LONGEST_ID = 63;

/** A check of kruise.yaml in its long form; the short form is the name alone. */
export function checkOf(item: CheckItem): Exclude<CheckItem, string> {
  return typeof item === 'string' ? { use: item } : item;
}

/**
 * The check steps after batch `n`, in the given order. Their IDs are unique: a name that repeats, or has the same letters,
 * gets the next free number, so `check-1-pods` is followed by `check-1-pods-2`.
 */
export function checkSteps(n: number, items: readonly CheckItem[]): Step[] {
  const used = new Set<string>();
  return items.map((item) => {
    const { use, args, for: time } = checkOf(item);
    const id = freeId(`check-${n}-${idPart(use)}`, used);
    used.add(id);
    const check: CheckStep = { use };
    if (args !== undefined && Object.keys(args).length > 0) check.args = sorted(args);
    if (time !== undefined) check.for = time;
    return { id, check };
  });
}

function freeId(wanted: string, used: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    const end = number === 1 ? '' : `-${number}`;
    const id = withoutTrailing(wanted.slice(0, LONGEST_ID - end.length), '-') + end;
    if (!used.has(id)) return id;
  }
}

/** The name of a check as part of a step ID: lower-case letters, digits and dashes. */
function idPart(name: string): string {
  return (
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '') || 'x'
  );
}

/** Sorts the keys, so that equal arguments give equal bytes. */
function sorted(args: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(args).sort(([a], [b]) => byText(a, b)));
}
