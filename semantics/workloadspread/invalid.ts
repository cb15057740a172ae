import type { FieldError } from '../../schemas/pods/fieldErrors.ts';
import {
  checkAffinity,
  checkNodeSelector,
  checkTolerations,
} from '../../schemas/pods/schedulingValidation.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { InvalidField } from '../fields/problems.ts';
import { API_VERSION } from '../values/api-version.ts';
import { isObject } from '../values/json-shape.ts';
import { intOrPercentOf, listOf, numberOf, objectOf, textOf } from '../values/read.ts';
import { type LabelSelector, validateSelector } from '../values/selector.ts';
import { groupKindOf } from '../owner.ts';
import { patchFaults } from '../pod/patch-faults.ts';
import { BY_ANNOTATION, isCreatedKind, SPREAD, WEBHOOK } from './resource.ts';
import { MOST_STEPS } from './size.ts';

/** Kinds of Kubernetes that a WorkloadSpread knows, with their groups. */
const NATIVE: Readonly<Record<string, string>> = {
  StatefulSet: 'apps',
  Deployment: 'apps',
  ReplicaSet: 'apps',
  Job: 'batch',
};

/** The groups in which a kind is known; none: a custom workload may be of any. */
function groupsOf(kind: string): string[] {
  const native = Object.hasOwn(NATIVE, kind) ? NATIVE[kind] : undefined;
  const own = SPREAD.filter((each) => each.kind === kind).map(({ group }) => group);
  return [...(native === undefined ? [] : [native]), ...own];
}

/** Of so many seconds at most all subsets together have tried before OpenKruise opens the first one again. */
const MOST_SECONDS = 295;

/**
 * Errors in a WorkloadSpread by itself: what OpenKruise's admission refuses (OpenKruise workloadspread, sections 2 and 7), and patches by
 * which a pod would not stay what it is.
 */
export function invalidSpread({ metadata, spec }: KubeObject): InvalidField[] {
  const { targetRef, targetFilter, subsets, scheduleStrategy } = objectOf(spec);
  const all = listOf(subsets);
  const { kind } = objectOf(targetRef);
  return [
    ...wayFaults(metadata.annotations?.[BY_ANNOTATION], objectOf(targetRef)),
    ...targetFaults(objectOf(targetRef)),
    ...filterFaults(objectOf(targetFilter)),
    ...numberFaults(all),
    ...nameFaults(all),
    ...capFaults(all, kind === 'StatefulSet'),
    ...all.flatMap((subset, index) => subsetFaults(subset, ['spec', 'subsets', String(index)])),
    ...strategyFaults(objectOf(scheduleStrategy), all),
  ];
}

function targetFaults({ apiVersion, kind, name }: JsonObject): InvalidField[] {
  const path = ['spec', 'targetRef'];
  const empty = Object.entries({ apiVersion, kind, name }).filter(([, value]) => textOf(value) === '');
  if (empty.length > 0)
    return empty.map(([field]) => ({ path: [...path, field], rule: 'must not be empty' }));
  if (!API_VERSION.test(textOf(apiVersion)))
    return [{ path: [...path, 'apiVersion'], rule: 'must be a group and a version' }];
  const { group } = groupKindOf({ apiVersion: textOf(apiVersion), kind: textOf(kind) });
  const groups = groupsOf(textOf(kind));
  if (groups.length === 0 || groups.includes(group)) return [];
  return [
    { path: [...path, 'apiVersion'], rule: `must be of group ${groups.join(' or ')} for a ${textOf(kind)}` },
  ];
}

/** Pods that the runtime creates are placed as it creates them. */
function wayFaults(by: string | undefined, { apiVersion, kind }: JsonObject): InvalidField[] {
  if (by === undefined) return [];
  const path = ['metadata', 'annotations', BY_ANNOTATION];
  if (by !== WEBHOOK) return [{ path, rule: `must be ${WEBHOOK}` }];
  const target = groupKindOf({ apiVersion: textOf(apiVersion), kind: textOf(kind) });
  return isCreatedKind(target)
    ? [{ path, rule: `must not be set: the runtime places pods of a ${target.kind}` }]
    : [];
}

function filterFaults({ selector, replicasPathList }: JsonObject): InvalidField[] {
  const path = ['spec', 'targetFilter'];
  const paths = Array.isArray(replicasPathList) ? replicasPathList.map(textOf) : [];
  const wrong = paths.findIndex((each) => {
    const steps = each.split('.', MOST_STEPS + 1);
    return steps.length > MOST_STEPS || steps.includes('');
  });
  return [
    ...(isObject(selector) ? validateSelector(selector as LabelSelector) : []).map((each) => ({
      path: [...path, 'selector', ...each.path],
      rule: each.message,
    })),
    ...(wrong < 0
      ? []
      : [
          {
            path: [...path, 'replicasPathList', String(wrong)],
            rule: `must be the names of at most ${MOST_STEPS} fields, with dots between them`,
          },
        ]),
  ];
}

function nameFaults(subsets: readonly JsonObject[]): InvalidField[] {
  const seen = new Set<string>();
  return subsets.flatMap(({ name }, index): InvalidField[] => {
    const path = ['spec', 'subsets', String(index), 'name'];
    const text = textOf(name);
    if (text === '') return [{ path, rule: 'must not be empty' }];
    if (text.length > MOST_NAME) return [{ path, rule: `must have at most ${MOST_NAME} characters` }];
    if (seen.has(text)) return [{ path, rule: 'must be unique: an earlier subset has it' }];
    seen.add(text);
    return [];
  });
}

function numberFaults({ length }: readonly JsonObject[]): InvalidField[] {
  if (length <= MOST_SUBSETS) return [];
  return [{ path: ['spec', 'subsets'], rule: `must have at most ${MOST_SUBSETS} items: it has ${length}` }];
}

/** The status has each subset twice, and must fit the server's limit of an object; each new pod is compared with each subset. */
const MOST_SUBSETS = 200;

/** The annotation of each pod has the name. */
const MOST_NAME = 253;

function capFaults(subsets: readonly JsonObject[], isNumbered: boolean): InvalidField[] {
  const caps = subsets.flatMap((subset, index) => {
    const cap = intOrPercentOf(subset['maxReplicas']);
    return cap === undefined ? [] : [{ cap, index, path: ['spec', 'subsets', String(index), 'maxReplicas'] }];
  });
  const [first] = caps;
  if (first === undefined) return [];
  const percent = caps.find(({ cap }) => typeof cap === 'string');
  if (isNumbered && percent !== undefined)
    return [{ path: percent.path, rule: 'must be a count: the pods of a StatefulSet are spread by ordinal' }];
  const mixed = caps.find(({ cap }) => typeof cap !== typeof first.cap);
  if (mixed !== undefined)
    return [{ path: mixed.path, rule: 'must be a count or a percentage as in the other subsets' }];
  const last = caps.at(-1);
  if (typeof first.cap === 'number' || last === undefined) return [];
  const sum = caps.reduce((total, { cap }) => total + Number.parseInt(String(cap), 10), 0);
  if (sum > 100) return [{ path: last.path, rule: `must leave the sum at 100% or below: it is ${sum}%` }];
  const isLast = last.index === subsets.length - 1;
  if (!isLast || sum === 100) return [];
  return [{ path: last.path, rule: `must bring the sum to 100%, as it is the last subset: it is ${sum}%` }];
}

function subsetFaults(subset: JsonObject, path: string[]): InvalidField[] {
  const required = (['requiredNodeSelector', 'requiredNodeSelectorTerm'] as const).flatMap((field) => {
    const term = subset[field];
    if (!isObject(term)) return [];
    const at = [...path, field];
    if (listOf(term['matchExpressions']).length + listOf(term['matchFields']).length === 0)
      return [{ path: at, rule: 'must have a requirement: without one it matches no node' }];
    return faultsAt(
      checkNodeSelector({ nodeSelectorTerms: [term] }, 'x'),
      ['x', 'nodeSelectorTerms', '0'],
      at,
    );
  });
  const preferred = (['preferredNodeSelector', 'preferredNodeSelectorTerms'] as const).flatMap((field) => {
    const terms = subset[field];
    if (!Array.isArray(terms)) return [];
    const affinity = { nodeAffinity: { [PREFERRED]: terms } };
    return faultsAt(checkAffinity(affinity, 'x'), ['x', 'nodeAffinity', PREFERRED], [...path, field]);
  });
  const { patch, tolerations } = subset;
  return [
    ...required,
    ...preferred,
    ...faultsAt(checkTolerations(tolerations, 'x'), ['x'], [...path, 'tolerations']),
    ...(isObject(patch) ? patchFaults(objectOf(patch), [...path, 'patch']) : []),
  ];
}

const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

/** Errors of a field that was checked as one of a pod, at its own path. */
function faultsAt(errors: readonly FieldError[], from: readonly string[], to: string[]): InvalidField[] {
  return errors.map(({ field, message }) => {
    const own = field.split(/[.[\]]+/).filter((each) => each !== '');
    return { path: [...to, ...own.slice(from.length)], rule: message };
  });
}

function strategyFaults({ type, adaptive }: JsonObject, subsets: readonly JsonObject[]): InvalidField[] {
  if (!isObject(adaptive)) return [];
  const path = ['spec', 'scheduleStrategy'];
  if (type !== 'Adaptive')
    return [{ path: [...path, 'type'], rule: 'must be Adaptive, as adaptive is set', at: 'key' }];
  const found: InvalidField[] = [];
  const last = subsets.length - 1;
  const cap = subsets[last]?.['maxReplicas'];
  if (subsets.length > 1 && cap !== undefined && cap !== null)
    found.push({
      path: ['spec', 'subsets', String(last), 'maxReplicas'],
      rule: 'must not be set: with adaptive, the last subset takes what the others do not',
    });
  const seconds = numberOf(objectOf(adaptive)['rescheduleCriticalSeconds']);
  const most = subsets.length > 1 ? Math.floor(MOST_SECONDS / (subsets.length - 1)) : Infinity;
  if (seconds !== undefined && (seconds < 0 || seconds > most))
    found.push({
      path: [...path, 'adaptive', 'rescheduleCriticalSeconds'],
      rule:
        most === Infinity ? 'must be at least 0' : `must be from 0 to ${most} with ${subsets.length} subsets`,
    });
  return found;
}
