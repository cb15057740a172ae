import type { NormalCloneSet } from '../../semantics/cloneset/normalize.ts';
import { ownPolicy, POLICY_ANNOTATION } from '../../semantics/plan/policy.ts';
import { canonicalJson } from '../../semantics/values/canonical-json.ts';
import type { Target } from './target.ts';

/** A field beside template, replicas and partition that is not what it was. */
export interface SettingChange {
  name: string;
  /** Both undefined for a value that is no scalar. */
  from: string | undefined;
  to: string | undefined;
}

type Setting = Exclude<keyof NormalCloneSet, 'template' | 'spreadOver' | 'replicas' | 'partition'>;

/** What each is called in a manifest; `policy` has a place of its own in each version. */
const NAMES: Readonly<Record<Setting, string>> = {
  selector: 'selector',
  volumeClaimTemplates: 'volumeClaimTemplates',
  reuseClaims: 'reuse of claims',
  type: 'updateStrategy.type',
  policy: 'update policy',
  maxUnavailable: 'maxUnavailable',
  maxSurge: 'maxSurge',
  paused: 'paused',
  partitionRollback: 'plan.kruise.io/partition-rollback',
  priorities: 'priorityStrategy',
  scatter: 'scatterStrategy',
  gracePeriodSeconds: 'gracePeriodSeconds',
  minReadySeconds: 'minReadySeconds',
  revisionHistoryLimit: 'revisionHistoryLimit',
  progressDeadlineSeconds: 'progressDeadlineSeconds',
  podsToDelete: 'podsToDelete',
  scaleMaxUnavailable: 'scaleStrategy.maxUnavailable',
};

/** The settings that differ between two states of a target, in the order of the table above. */
export function changedSettings(base: Target, head: Target): SettingChange[] {
  const found: SettingChange[] = [];
  for (const key of Object.keys(NAMES) as Setting[]) {
    const [from, to] = [base.normal[key], head.normal[key]];
    if (canonicalJson(from ?? null) !== canonicalJson(to ?? null)) {
      found.push({ name: NAMES[key], from: shown(from), to: shown(to) });
    }
  }
  const [from, to] = [ownPolicy(base.manifest.object), ownPolicy(head.manifest.object)];
  if (from !== to) found.push({ name: POLICY_ANNOTATION, from: from ?? 'none', to: to ?? 'none' });
  return found;
}

function shown(value: NormalCloneSet[Setting]): string | undefined {
  if (value === undefined) return 'none';
  return typeof value === 'object' ? undefined : String(value);
}
