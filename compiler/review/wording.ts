import type { ClassifiedField } from '../../semantics/template/classify.ts';
import { countText } from '../../semantics/values/text.ts';
import type { ShownGroup } from './groups.ts';
import type { Risk } from './order.ts';
import { shownName } from '../plan/target.ts';
import { shorten } from '../text/escape.ts';
import { nameRuns } from '../text/name-runs.ts';

/** The words about a group, the same in each output. None of them is escaped yet. */

/** The most characters of a line of words from manifests. */
const LONGEST = 200;
const LONGEST_NAME = 80;
/** The most names that are printed, or runs of names with consecutive numbers. */
const MOST_NAMES = 5;
/** The most fields of a group that are printed. */
const MOST_FIELDS = 3;

/** `39 Deployments`, or `Deployment shop/web` of one alone. */
export function subjectOf({ kind, members }: ShownGroup): string {
  const [first] = members;
  return members.length === 1 && first !== undefined
    ? `${kind} ${shownName(first)}`
    : countText(members.length, kind);
}

/** What happens, its size, what it depends on, and what is dangerous about it. */
export function effectOfGroup({ what, notes, units, risks, warnings }: ShownGroup): string {
  const size = units === undefined ? [] : [countText(units.count, units.nouns.unit, units.nouns.units)];
  const codes = warnings.length === 0 ? [] : [`warns ${warnings.map(({ code }) => code).join(', ')}`];
  const dangers = risks.flatMap((risk) => RISK_WORDS[risk] ?? []);
  return [[shorten(what, LONGEST), ...size].join(', '), ...dangers, ...notes.map(cut), ...codes].join('; ');
}

/** What `what` does not say by itself. */
const RISK_WORDS: Record<Risk, string | undefined> = {
  LosesData: 'volume claims are deleted with their data',
  Deletes: undefined,
  MayLoseData: 'volume claims are no longer retained when it is scaled in or deleted',
  NeedsNoPlan: 'further changes need no plan',
  Recreates: undefined,
  NoAvailability: 'at times no pod is available',
  HostAccess: 'its pods may reach their nodes',
  NotReversible: 'not reversible',
  MayRecreate: 'recreated where a cluster skipped the previous state',
  NoGate: 'no gate',
  NotReproducible: 'not reproducible',
  Warned: undefined,
};

function cut(text: string): string {
  return shorten(text, LONGEST);
}

/** Both values of a field where they may be shown, and how it changes otherwise. */
export function fieldChange({ from, to, change }: ClassifiedField): string {
  return from === undefined || to === undefined
    ? (change ?? 'changed')
    : `${shorten(String(from), LONGEST_NAME)} → ${shorten(String(to), LONGEST_NAME)}`;
}

/** The reason of a field that recreates pods; undefined: it does not. */
export function reasonOf({ effect, reason }: ClassifiedField): string | undefined {
  return effect === 'Recreate' ? shorten(reason, LONGEST) : undefined;
}

/** The fields that are printed, those that recreate pods first, and how many there are beside. */
export function shownFields({ fields }: ShownGroup): { fields: readonly ClassifiedField[]; more: number } {
  const recreating = fields.filter(({ effect }) => effect === 'Recreate');
  const shown = [...recreating, ...fields.filter((field) => !recreating.includes(field))].slice(
    0,
    MOST_FIELDS,
  );
  return { fields: shown, more: fields.length - shown.length };
}

/** `shop/api-1 to shop/api-9, shop/web and 30 more` */
export function namesOf({ members }: ShownGroup, most = MOST_NAMES): string {
  return nameRuns(
    distinctNames(members).map((name) => shorten(name, LONGEST_NAME)),
    most,
  );
}

/** Several roots may have a target of one name. */
export function distinctNames(members: ShownGroup['members']): string[] {
  return [...new Set(members.map(shownName))];
}
