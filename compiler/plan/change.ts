import type { RolloutPlan } from '../../schemas/generated/types/rolloutplan.ts';
import { classify } from '../../semantics/template/classify.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import type { Classification } from '../../semantics/template/classify.ts';
import type { Budget } from '../load/budget.ts';
import { byText } from '../text/order.ts';
import { changedSettings } from './settings.ts';
import type { Target } from './target.ts';
import { fieldNameIn, leastMode } from './update-policy.ts';

/**
 * What a commit does to one target. `Update`, `Bound`, `Again` and `Unplanned` get a plan; the others do not move running
 * pods to another revision.
 */
export type Action =
  /** Not at base: first creation is not gated. */
  | 'Create'
  /** Not at head. */
  | 'Delete'
  /** The canonical template differs. */
  | 'Update'
  /** Same template, other partition: a continuation. */
  | 'Bound'
  /** Same template and partition: the plan at base once more, because a person asks for it. */
  | 'Again'
  /** The same, where the plan at base leads elsewhere: git took the template without a plan, which is made now. */
  | 'Unplanned'
  /** Replicas differ (and perhaps settings). */
  | 'Scale'
  /** Other fields of the spec differ. */
  | 'Settings'
  | 'Unchanged';

/** Up to this many plans a forecast stands beside each; beyond it one SUMMARY.md replaces them. */
export const MOST_FORECASTS = 20;

/** The rule of kruise.yaml, counted from 1; `none` where no rule matches, `no file` where there is no kruise.yaml. */
export type StepsFrom = number | 'none' | 'no file';

export interface Change {
  id: string;
  type: Kind;
  kind: string;
  namespace: string | undefined;
  name: string;
  action: Action;
  base: Target | undefined;
  head: Target | undefined;
  /** Of base against head; undefined where one of them is missing. */
  classification: Classification | undefined;
  plan: RolloutPlan | undefined;
  /** Where the steps of the plan come from; undefined without a plan. */
  stepsFrom: StepsFrom | undefined;
  /** One of so many that it is shown in a line of a summary: its forecast is arithmetic, not walked. */
  summarized: boolean;
  /** Whether its forecast may simulate the rollout: a run simulates only so many pods. */
  simulated: boolean;
}

const NOTHING: Classification = { mode: 'MetadataOnly', fields: [] };

/** Compares two states target by target, sorted by namespace, kind and name. Plans are added by the next pass. */
export function compareStates(
  base: ReadonlyMap<string, Target>,
  head: ReadonlyMap<string, Target>,
  budget: Budget,
): Change[] {
  const ids = new Set([...base.keys(), ...head.keys()]);
  return [...ids]
    .flatMap((id) => {
      const before = base.get(id);
      const after = head.get(id);
      const either = after ?? before;
      if (either === undefined) return [];
      const { type, kind, namespace, name } = either.manifest;
      return [
        {
          id,
          type,
          kind,
          namespace,
          name,
          ...compareTargets(before, after, budget),
          plan: undefined,
          stepsFrom: undefined,
          summarized: false,
          simulated: true,
        },
      ];
    })
    .sort(
      (a, b) =>
        byText(a.namespace ?? '', b.namespace ?? '') || byText(a.kind, b.kind) || byText(a.name, b.name),
    );
}

function compareTargets(
  base: Target | undefined,
  head: Target | undefined,
  budget: Budget,
): Pick<Change, 'action' | 'base' | 'head' | 'classification'> {
  if (base === undefined) return { action: 'Create', base, head, classification: undefined };
  if (head === undefined) return { action: 'Delete', base, head, classification: undefined };
  if (base.manifest.object === head.manifest.object) {
    return { action: 'Unchanged', base, head, classification: NOTHING };
  }
  if (base.hash !== head.hash) {
    const { mode, fields } = classify(base.normal.template, head.normal.template, head.normal.policy);
    const size = fields.reduce((sum, { path, reason }) => sum + 2 * path.length + reason.length, 0);
    // Each says the whole way to it: beyond the limit, which ends the run, they are not kept.
    const kept = budget.take('planText', size) ? fields.map((field) => fieldNameIn(head, field)) : [];
    return { action: 'Update', base, head, classification: { mode, fields: kept } };
  }
  const action = actionWithoutUpdate(base, head);
  // A continuation takes pods on, from templates of neither state: how, the policy of now says.
  const mode = action === 'Bound' ? leastMode(head.normal) : NOTHING.mode;
  return { action, base, head, classification: { mode, fields: [] } };
}

function actionWithoutUpdate(base: Target, head: Target): Action {
  if (base.normal.partition !== head.normal.partition) return 'Bound';
  if (base.normal.replicas !== head.normal.replicas) return 'Scale';
  // The hashes are equal, so templates that differ in spelling are no difference.
  return changedSettings(base, head).length === 0 ? 'Unchanged' : 'Settings';
}
