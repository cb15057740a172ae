import type { KubeObject } from '../../schemas/wire/object.ts';
import type { InvalidField } from '../fields/problems.ts';
import { listOf, objectOf, textOf } from '../values/read.ts';
import { contextOf, normalizeRequest } from './normalize.ts';
import { LEAST_DEADLINE } from './resource.ts';

const SPEC = ['spec'];
/** What OpenKruise's webhook fills in. */
const READ_ONLY = ['preStop', 'ports', 'statusContext'] as const;

/**
 * Errors in a request by itself, in the words of OpenKruise's admission (OpenKruise container-recreate-request, rules C1 and C4). In the
 * cluster such a request ends at once with the first of them.
 */
export function invalidRequest(target: KubeObject): InvalidField[] {
  const { podName, containers, deadline, grace, unreadyGrace } = normalizeRequest(target);
  const strategy = [...SPEC, 'strategy'];
  const { failurePolicy } = objectOf(objectOf(target['spec'])['strategy']);
  return [
    ...(podName === '' ? [{ path: [...SPEC, 'podName'], rule: 'podName can not be empty' }] : []),
    ...(containers.length === 0
      ? [{ path: [...SPEC, 'containers'], rule: 'containers list can not be null' }]
      : []),
    ...(deadline !== undefined && deadline < LEAST_DEADLINE
      ? [
          {
            path: [...SPEC, 'activeDeadlineSeconds'],
            rule: `activeDeadlineSeconds can not be less than ${LEAST_DEADLINE}s`,
          },
        ]
      : []),
    ...negative(strategy, 'terminationGracePeriodSeconds', grace),
    ...negative(strategy, 'unreadyGracePeriodSeconds', unreadyGrace),
    ...(failurePolicy === undefined || failurePolicy === 'Fail' || failurePolicy === 'Ignore'
      ? []
      : [{ path: [...strategy, 'failurePolicy'], rule: `unknown failurePolicy ${textOf(failurePolicy)}` }]),
    ...containerFaults(target),
  ];
}

function negative(path: string[], field: string, value: number | undefined): InvalidField[] {
  if (value === undefined || value >= 0) return [];
  return [{ path: [...path, field], rule: `${field} must be non-negative integer` }];
}

function containerFaults(target: KubeObject): InvalidField[] {
  const isTakenUp = contextOf(target) !== undefined;
  const seen = new Set<string>();
  return listOf(objectOf(target['spec'])['containers']).flatMap((container, index): InvalidField[] => {
    const name = textOf(container['name']);
    const path = [...SPEC, 'containers', String(index)];
    if (seen.has(name)) return [{ path: [...path, 'name'], rule: `can not recreate ${name} multi times` }];
    seen.add(name);
    const given = isTakenUp ? undefined : READ_ONLY.find((field) => container[field] !== undefined);
    if (given === undefined) return [];
    const rule = 'preStop, ports, statusContext in container are ready-only fields';
    return [{ path: [...path, given], rule, at: 'key' }];
  });
}
