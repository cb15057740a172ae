import type { Kind } from '../../semantics/kinds/kind.ts';
import type { HealthFields, WantedField } from '../../semantics/kinds/status-facts.ts';
import { HELD_CONDITION } from '../../semantics/plan/held-condition.ts';
import { ENDED_BADLY } from './held.ts';

/**
 * The health checks of Flux for these kinds, as entries of `healthCheckExprs`: CEL on the fields of the object. Flux takes one check of a
 * kind for all of its versions, and refuses a Kustomization that has another one. It compares the generations itself, and asks
 * `inProgress`, `failed`, `current` in this order. An error, as where there is no status yet, is waited for. Plans need none: their
 * conditions follow kstatus.
 */
export function fluxHealth(kinds: readonly Kind[]): string {
  return kinds
    .map(({ id, resource, facts }) =>
      [
        `- apiVersion: ${id.group}/${resource.version}`,
        `  kind: ${id.kind}`,
        ...Object.entries(expressionsOf(facts.status.health)).map(
          ([name, cel]) => `  ${name}: >-\n    ${cel}`,
        ),
      ].join('\n'),
    )
    .join('\n');
}

/** The reasons of a target that waits for an object of git: its first plan, or the one that it was carrying out. */
const WAITS_FOR_GIT = ['NoPlan', 'PlanMissing'];

/**
 * A target that waits for its plan is in progress, as the two come in any order. One that is held by anything else waits for a person,
 * or for a commit: it is current, so that Flux takes the next commit.
 */
function expressionsOf(health: HealthFields): { inProgress: string; failed: string; current: string } {
  const noPlan = heldBy(isOneOf(WAITS_FOR_GIT));
  const badly = heldBy(isOneOf(ENDED_BADLY));
  const [underway, failed] = ownExpressions(health);
  return {
    inProgress: underway === undefined ? noPlan : `${noPlan} || (!${heldBy()} && ${underway})`,
    failed: failed === undefined ? badly : `${badly} || ${failed}`,
    current: 'true',
  };
}

const isOneOf = (reasons: readonly string[]): string =>
  `c.reason in [${reasons.map((each) => `'${each}'`).join(', ')}]`;

function heldBy(condition?: string): string {
  const isHeld = `c.type == '${HELD_CONDITION}' && c.status == 'True'`;
  const wanted = condition === undefined ? isHeld : `${isHeld} && ${condition}`;
  return `(has(status.conditions) && status.conditions.exists(c, ${wanted}))`;
}

/** Whether the target is under way, and whether it has failed; undefined: never. */
function ownExpressions(health: HealthFields): [underway: string | undefined, failed: string | undefined] {
  switch (health.by) {
    case 'numbers': {
      const wanted = wantedNumber(health.wanted);
      const isLess = (field: string): string => `${numberIn('status', field, 0)} < ${wanted}`;
      return [`(${isLess(health.updated)} || ${isLess(health.available)})`, undefined];
    }
    case 'phase': {
      const phase = `status.${health.field}`;
      const has = `has(${phase})`;
      const ended = `['${health.done}', '${health.failed}', '${health.paused}']`;
      return [`!(${has} && ${phase} in ${ended})`, `(${has} && ${phase} == '${health.failed}')`];
    }
    case 'parts': {
      const [phase, problem, list] = [health.field, health.problem, health.list].map(
        (each) => `status.${each}`,
      );
      const isDone = `(has(${phase}) && ${phase} == '${health.done}')`;
      const isBad = `(has(${problem}) && ${problem} != '')`;
      const isPartBad = `(has(${list}) && ${list}.exists(c, c.${health.part} != '${health.good}'))`;
      return [`!${isDone}`, `(${isDone} && (${isBad} || ${isPartBad}))`];
    }
    case 'results': {
      const numberAt = (field: string): string => `(has(status.${field}) ? status.${field} : 0)`;
      const ended = health.ended.map(numberAt).join(' + ');
      const isDone = `(has(status.${health.since}) && ${ended} >= ${numberAt(health.wanted)})`;
      return [`!${isDone}`, `(${isDone} && ${numberAt(health.good)} < ${numberAt(health.wanted)})`];
    }
    case 'observation':
      return [undefined, undefined];
  }
}

function wantedNumber(wanted: WantedField): string {
  return wanted.of === 'status'
    ? numberIn('status', wanted.field, 0)
    : numberIn('spec', wanted.field, wanted.absent);
}

function numberIn(part: 'spec' | 'status', field: string, absent: number): string {
  return `(has(${part}.${field}) ? ${part}.${field} : ${absent})`;
}
