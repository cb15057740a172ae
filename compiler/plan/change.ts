import type { RolloutPlan, Step } from '../../schemas/generated/types/rolloutplan.ts';
import { classify } from '../../semantics/template/classify.ts';
import { podTemplateOf } from '../../semantics/kinds/git-side.ts';
import { claimTemplates, type GitUnits, subsetsOf } from '../../semantics/kinds/git-units.ts';
import type { PlannedKind } from '../../semantics/kinds/kind.ts';
import type { LimitInGit } from '../../semantics/influence/in-git.ts';
import type { Disruption } from '../../semantics/limits/slots.ts';
import type { Classification, ClassifiedField } from '../../semantics/template/classify.ts';
import {
  areRecreatedForClaims,
  RECREATE_FOR_CLAIMS_ANNOTATION,
} from '../../semantics/template/update-policy.ts';
import type { Budget } from '../load/budget.ts';
import type { Reach } from '../reach/reach.ts';
import { byText } from '../text/order.ts';
import { boundOf, newBound } from './bound.ts';
import { changedSettings } from './settings.ts';
import type { Target } from './target.ts';
import { fieldNameIn, leastMode, rulesOf } from './update-policy.ts';

/**
 * What a commit does to one target. `Update`, `Bound`, `Claims`, `Run`, `Again`, `Continue` and `Unplanned` get a plan; the others move
 * no running pod to another revision, and grow no claim.
 */
export type Action =
  /** Not at base. The first creation needs no plan. */
  | 'Create'
  /** Not at head. */
  | 'Delete'
  /** The canonical template differs. */
  | 'Update'
  /** Same template, other partition or selector: a continuation. */
  | 'Bound'
  /** Same template and bound, other sizes that existing claims grow to. */
  | 'Claims'
  /** A new run, of a kind that runs once on each unit: not at base, or another template. Nothing starts without a plan. */
  | 'Run'
  /** Same template and bound: repeats the plan at base on request. */
  | 'Again'
  /** Same template and bound: the plan at base with other limits of how many units change at a time, on request. */
  | 'Continue'
  /** The same as Again, but the plan at base leads to another template: git changed the template without a plan, which is created now. */
  | 'Unplanned'
  /** Other replicas, in all or in a subset, and possibly other settings. */
  | 'Scale'
  /** Other fields of the spec differ. */
  | 'Settings'
  | 'Unchanged';

/**
 * The number of the rule in kruise.yaml, from 1, or its default; `none` if no rule matches, `no file` if there is no
 * kruise.yaml.
 */
export type StepsFrom = number | 'default' | 'none' | 'no file';

export interface Change {
  id: string;
  type: PlannedKind;
  kind: string;
  namespace: string | undefined;
  name: string;
  action: Action;
  base: Target | undefined;
  head: Target | undefined;
  /**
   * A created target that takes over the pods of a workload of Kubernetes, or a deleted one that leaves its pods to such a
   * workload. Undefined: neither.
   */
  handover: 'FromNative' | 'ToNative' | undefined;
  /** Of base compared with head; undefined if one of them is missing. */
  classification: Classification | undefined;
  plan: RolloutPlan | undefined;
  /** The steps of the plan with the limits of kruise.yaml alone; empty: there is no plan, or it states limits in any version. */
  stepsOfRule: readonly Step[];
  /**
   * How many units a plan at base that still runs changes at a time, where this change, which gets no plan, allows more: `1 at a
   * time`. Undefined: it allows no more.
   */
  runningLimits: string | undefined;
  /** Its plan at base goes on with other limits where somebody asks for it. */
  isContinuable: boolean;
  /** Whether it goes back to a template from which the plan at base starts, or to a run that was planned before. */
  goesBack: boolean;
  /** How many units kruise.yaml assumes, or manifests show; undefined: neither says. */
  assumedUnits: number | undefined;
  /** The pods of other owners that it selects in the manifests; undefined: it selects none by its kind, or they are not known. */
  reach?: Reach;
  /** The workloads among those that it selects whose pods the same commit changes, too, where it changes running pods. */
  alsoChanged?: Reach['workloads'];
  /** The targets of the same commit that select its pods and change them, too; undefined: there are none. */
  alsoChangedBy?: readonly Pick<Change, 'kind' | 'namespace' | 'name'>[];
  /** Those of other kinds among them: their own controllers make their pods anew, and no plan is in the way. */
  alsoMadeAnew?: Reach['workloads'];
  /** The workloads in the manifests that it selects now and did not at base, and the other way round; undefined: it selects the same. */
  reachChange?: { joining: Reach; leaving: Reach };
  /** What limits how many of its pods may be unavailable, whoever makes them so, and with how many pods in git. */
  limits: readonly ChangeLimit[];
  /** The origin of the steps of the plan; undefined without a plan. */
  stepsFrom: StepsFrom | undefined;
  /** Whether its forecast may name units: a run makes a limited number of names. */
  named: boolean;
  /** Whether its forecast may simulate the rollout: a run simulates a limited number of pods. The others are arithmetic. */
  simulated: boolean;
}

/** An object in git that limits how many pods of a target may be unavailable. */
export interface ChangeLimit {
  /** Its kind and name. */
  name: string;
  /** The kinds and names of what evictions go by in its place, as git has it; empty: they go by the object itself, or it limits none. */
  evictionsBy: readonly string[];
  /** What it allows of such disruptions; undefined: it limits none of them. */
  of(how: Disruption): Pick<LimitInGit, 'most' | 'total'> | undefined;
}

const NOTHING: Classification = { mode: 'MetadataOnly', fields: [] };

/** Compares two states target by target, sorted by namespace, kind and name. The next stage adds the plans. */
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
          handover: undefined,
          plan: undefined,
          stepsOfRule: [],
          runningLimits: undefined,
          isContinuable: false,
          goesBack: false,
          assumedUnits: undefined,
          limits: [],
          stepsFrom: undefined,
          named: true,
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
  if (head === undefined) return { action: 'Delete', base, head, classification: undefined };
  if (base === undefined) {
    return beginsAtOnce(head.normal.units)
      ? { action: 'Create', base, head, classification: undefined }
      : { action: 'Run', base, head, classification: NOTHING };
  }
  if (base.manifest.object === head.manifest.object) {
    return { action: 'Unchanged', base, head, classification: NOTHING };
  }
  if (base.hash !== head.hash) {
    const { mode, fields } = classificationOf(base, head);
    const size = fields.reduce((sum, { path, reason }) => sum + 2 * path.length + reason.length, 0);
    // Each field has its whole path. Beyond the limit, which ends the run, they are not stored.
    const stored = budget.take('planText', size) ? fields.map((field) => fieldNameIn(head, field)) : [];
    const action = head.normal.units.of === 'run' ? 'Run' : 'Update';
    return { action, base, head, classification: { mode, fields: stored } };
  }
  const action = actionWithoutUpdate(base, head);
  // The templates of a continuation's pods are in neither state, so its mode follows from the current policy.
  const mode = action === 'Bound' ? leastMode(head.normal) : NOTHING.mode;
  return { action, base, head, classification: { mode, fields: [] } };
}

/** Whether a new target needs no plan. */
function beginsAtOnce(units: GitUnits): boolean {
  switch (units.of) {
    case 'replicas':
    case 'nodes':
    case 'selected':
    case 'subsets':
      return true;
    case 'run':
      return false;
    case 'ticks':
      return !units.schedule.isGated;
  }
}

/** What differs. */
function classificationOf(base: Target, head: Target): Classification {
  const { template, units } = head.normal;
  switch (units.of) {
    case 'selected':
      return units.classify(base.normal.template, template);
    case 'replicas':
    case 'nodes':
    case 'run': {
      const found = classify(base.normal.template, template, rulesOf(units));
      return recreatesForClaims(base, head)
        ? { mode: 'Recreate', fields: [...found.fields, CLAIM_TEMPLATES] }
        : found;
    }
    case 'ticks':
      return classificationOfChildren(base, head);
    case 'subsets':
      return classificationOfSubsets(base, head);
  }
}

/** Of a template that holds more than pods, the fields of the pods are named one by one, and the rest is one. */
function classificationOfChildren(base: Target, head: Target): Classification {
  const [before, after] = [podTemplateOf(base.normal) ?? {}, podTemplateOf(head.normal) ?? {}];
  const { fields } = classify(before, after, rulesOf(head.normal.units));
  const isElsewhere = fields.length === 0;
  const whole: ClassifiedField = {
    path: 'template',
    change: 'changed',
    effect: 'Recreate',
    reason: 'what is created differs beside the template of its pods',
    rule: 'OpenKruise cron jobs, section 7',
  };
  return { mode: 'Recreate', fields: isElsewhere ? [whole] : fields };
}

/** The same where pods are updated: only what differs beside the template of the pods recreates them, whatever that is. */
function classificationOfSubsets(base: Target, head: Target): Classification {
  const [before, after] = [podTemplateOf(base.normal) ?? {}, podTemplateOf(head.normal) ?? {}];
  const found = classify(before, after, rulesOf(head.normal.units));
  return found.fields.length === 0 ? classificationOfChildren(base, head) : found;
}

/** Whether a change of the template recreates pods only because claim templates change with it. */
export function recreatesForClaims(base: Target, head: Target): boolean {
  const [before, after] = [claimTemplates(base.normal.units), claimTemplates(head.normal.units)];
  return base.hash !== head.hash && areRecreatedForClaims(before, after, rulesOf(head.normal.units));
}

const CLAIM_TEMPLATES: ClassifiedField = {
  path: 'volumeClaimTemplates',
  change: 'changed',
  effect: 'Recreate',
  reason: `the annotation ${RECREATE_FOR_CLAIMS_ANNOTATION} gives pods other claims together with another template`,
  rule: 'OpenKruise inplace-update, rule 6.1',
};

/** Whether the same pods are in other subsets. */
function isSplitAnew(base: Target, head: Target): boolean {
  const [before, after] = [base, head].map(({ normal }) =>
    (subsetsOf(normal.units) ?? []).map(({ name, n }) => `${name} ${n}`).sort(),
  );
  return before?.join() !== after?.join();
}

function actionWithoutUpdate(base: Target, head: Target): Action {
  if (newBound(boundOf(base.normal), head.normal) !== undefined) return 'Bound';
  if (head.claims !== undefined && base.claims !== head.claims) return 'Claims';
  if (base.applied !== head.applied || isSplitAnew(base, head)) return 'Scale';
  // The hashes are equal, so templates that differ only in spelling are equal.
  return changedSettings(base, head).length === 0 ? 'Unchanged' : 'Settings';
}
