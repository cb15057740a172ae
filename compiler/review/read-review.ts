import type { ShownProblem } from '../diagnostics/shown.ts';
import { MODES } from '../../semantics/template/mode.ts';
import type { Mark } from '../render/change-text.ts';
import type { Member, ShownGroup } from './groups.ts';
import {
  count,
  ifThere,
  InvalidDocument,
  items,
  type Located,
  member,
  oneOf,
  text,
  textLike,
} from './json-reader.ts';
import { acrossRoots } from './across-roots.ts';
import { compareGroups, EFFECTS, RISKS } from './order.ts';

/** Why nothing was compared. */
export interface ShownRefusal {
  /** Undefined: nothing at all was compared. */
  root: string | undefined;
  problem: string;
  help: string;
}

/** What `kruise plan -o json` printed, as far as reviewers see it. */
export interface Review {
  /** One line about all changes. */
  title: string;
  /** The riskiest first. */
  groups: readonly ShownGroup[];
  problems: readonly ShownProblem[];
  /** Why the check could not be made: of the whole, and of single roots. */
  refusals: readonly ShownRefusal[];
  /** After an error in a manifest it is not known what else changes: its targets seem to be gone. */
  isKnown: boolean;
}

/** What a document may have at most. The compiler keeps to less. */
const MOST = { roots: 1_000, groups: 25_000, members: 25_000, problems: 50_000, listed: 100 } as const;
/** Outputs cut texts; messages may quote values of manifests. */
const LONG = 100_000;
const PATH = 5_000;
const TITLE = 300;
const NAME = 253;
const NUMBER = 1e12;

const KIND = /^[A-Z][A-Za-z0-9]{0,62}$/;
const CODE = /^KR\d{4}$/;
const MARKS: readonly Mark[] = ['+', '~', '-/+', '-', '=', '!', '?'];

/**
 * Reads a parsed document. It may come from a fork: whatever has another type, is longer than the compiler writes it, or is a word that
 * the outputs do not know, is refused with an `InvalidDocument`. Unknown members are left out.
 */
export function readReview(value: unknown): Review {
  const document: Located = { value, path: '' };
  const roots = items(member(document, 'roots'), MOST.roots);
  oneOf(member(document, 'format'), ['1']);
  const own = ifThere(member(document, 'groups'), () => groupsIn(document)) ?? [];
  const ofRoots = roots.map((root) => {
    const name = text(member(root, 'root'), NAME);
    const groups = groupsIn(root);
    return {
      name,
      groups,
      problems: problemsIn(root),
      refusals: refusalsIn(root, name),
      isKnown: isKnownIn(root),
    };
  });
  const groups = [...own, ...acrossRoots(ofRoots)];
  const problems = [...problemsIn(document), ...ofRoots.flatMap((root) => root.problems)];
  if (groups.length > MOST.groups) throw new InvalidDocument('roots', 'within the limit of groups');
  if (groups.reduce((sum, { members }) => sum + members.length, 0) > MOST.members)
    throw new InvalidDocument('groups', 'within the limit of targets');
  if (problems.length > MOST.problems) throw new InvalidDocument('roots', 'within the limit of problems');
  const title = ifThere(member(document, 'summary'), (located) => text(located, TITLE));
  return {
    title: title ?? `Plan of ${roots.length} roots`,
    groups: groups.sort(compareGroups),
    problems,
    refusals: [...refusalsIn(document, undefined), ...ofRoots.flatMap((root) => root.refusals)],
    isKnown: isKnownIn(document) && ofRoots.every((root) => root.isKnown),
  };
}

function isKnownIn(document: Located): boolean {
  const { value: known = true, path } = member(document, 'known');
  if (typeof known !== 'boolean') throw new InvalidDocument(path, 'true or false');
  return known;
}

function refusalsIn(document: Located, root: string | undefined): ShownRefusal[] {
  const refusal = ifThere(member(document, 'refused'), (refused) => ({
    root,
    problem: text(member(refused, 'problem'), LONG),
    help: text(member(refused, 'help'), LONG),
  }));
  return refusal === undefined ? [] : [refusal];
}

function groupsIn(document: Located): ShownGroup[] {
  return items(member(document, 'groups'), MOST.groups).map(groupOf);
}

function groupOf(group: Located): ShownGroup {
  const members = items(member(group, 'targets'), MOST.members).map(targetOf);
  if (members.length === 0) throw new InvalidDocument(`${group.path}.targets`, 'a list of targets');
  const texts = (name: string): string[] =>
    items(member(group, name), MOST.listed).map((each) => text(each, LONG));
  const codes = items(member(group, 'warnings'), MOST.listed).map((each) => codeOf(each));
  const messages = texts('messages');
  return {
    kind: textLike(member(group, 'kind'), KIND, 'the name of a kind'),
    mark: oneOf(member(group, 'mark'), MARKS),
    risks: items(member(group, 'risks'), RISKS.length).map((risk) => oneOf(risk, RISKS)),
    effect: oneOf(member(group, 'effect'), EFFECTS),
    what: text(member(group, 'what'), LONG),
    notes: texts('notes'),
    units: ifThere(member(group, 'units'), (units) => ({
      count: count(units, NUMBER),
      nouns: {
        unit: text(member(member(group, 'nouns'), 'unit'), NAME),
        units: text(member(member(group, 'nouns'), 'units'), NAME),
      },
    })),
    fields: items(member(group, 'fields'), MOST.listed).map(fieldOf),
    plan: ifThere(member(group, 'plan'), (plan) => ({
      text: text(member(plan, 'text'), LONG),
      approvals: count(member(plan, 'approvals'), NUMBER),
      leastMs: count(member(plan, 'leastMs'), NUMBER),
    })),
    warnings: codes.map((code, index) => ({ code, message: messages[index] ?? '' })),
    members,
  };
}

function targetOf(target: Located): Member {
  const namespace = ifThere(member(target, 'namespace'), (each) => text(each, NAME));
  const name = text(member(target, 'name'), NAME);
  return { id: `${namespace ?? ''}/${name}`, namespace, name };
}

function fieldOf(field: Located): ShownGroup['fields'][number] {
  const value = (name: string): string | number | undefined =>
    ifThere(member(field, name), (each) =>
      typeof each.value === 'number' && Number.isFinite(each.value) ? each.value : text(each, LONG),
    );
  const [from, to] = [value('from'), value('to')];
  const change = ifThere(member(field, 'change'), (each) =>
    oneOf(each, ['added', 'removed', 'changed'] as const),
  );
  return {
    path: text(member(field, 'path'), PATH),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(change === undefined ? {} : { change }),
    effect: oneOf(member(field, 'effect'), MODES),
    reason: text(member(field, 'reason'), LONG),
    rule: text(member(field, 'rule'), LONG),
  };
}

function problemsIn(document: Located): ShownProblem[] {
  return items(member(document, 'diagnostics'), MOST.problems).map((problem) => ({
    code: codeOf(member(problem, 'code')),
    severity: oneOf(member(problem, 'severity'), ['error', 'warning'] as const),
    message: text(member(problem, 'message'), LONG),
    help: text(member(problem, 'help'), LONG),
    at: ifThere(member(problem, 'file'), (file) => ({
      file: text(file, PATH),
      line: count(member(problem, 'line'), NUMBER),
      column: count(member(problem, 'column'), NUMBER),
    })),
  }));
}

function codeOf(code: Located): string {
  return textLike(code, CODE, 'the code of a diagnostic');
}
