import type { Resource } from '../../schemas/wire/cluster.ts';
import type { Admission, AdmissionOption, NewPodRules, PodPolicy, PodReviewRules } from './admission.ts';
import type { Kind } from './kind.ts';
import type { PodInjector } from './pod-injector.ts';

/** A kind with its rules for one sort of request. */
export interface RulesOf<Rules> {
  kind: Kind;
  rules: Rules;
}

/** What these kinds inject into new pods. */
export function injectorsOf(kinds: readonly Kind[]): PodInjector[] {
  return kinds.flatMap(({ admission }) =>
    admission?.create.of === 'injection' ? [admission.create.injector] : [],
  );
}

/** Those that change new pods by rules of their own. */
export function creatingKinds(kinds: readonly Kind[]): RulesOf<NewPodRules>[] {
  return kinds.flatMap((kind) =>
    kind.admission?.create.of === 'new pods' ? [{ kind, rules: kind.admission.create }] : [],
  );
}

/** Those that review changes and removals of pods. */
export function reviewingKinds(kinds: readonly Kind[]): RulesOf<PodReviewRules>[] {
  return kinds.flatMap((kind) =>
    kind.admission?.review.of === 'pods' ? [{ kind, rules: kind.admission.review }] : [],
  );
}

/** These kinds, each without what it does to pods of others where nobody has asked for that. */
export function admittingBy(kinds: readonly Kind[], asked: readonly AdmissionOption[]): Kind[] {
  return kinds.map((kind) => {
    const { admission } = kind;
    if (admission?.option === undefined || asked.includes(admission.option)) return kind;
    return { ...kind, admission: { ...admission, create: { of: 'none' }, review: { of: 'none' } } };
  });
}

/** Those of these kinds that decide about pods where somebody has asked for this alone. */
export function admittingOnlyBy(kinds: readonly Kind[], option: AdmissionOption): Kind[] {
  return kinds.filter(({ admission }) => admission?.option === option);
}

/** What somebody may ask for. */
export function admissionOptions(kinds: readonly Kind[]): AdmissionOption[] {
  return [...new Set(kinds.flatMap(({ admission }) => admission?.option ?? []))];
}

/** Those by whose objects API servers decide alone. */
export function policedKinds(kinds: readonly Kind[]): RulesOf<PodPolicy>[] {
  return kinds.flatMap((kind) => (kind.admission?.policy ? [{ kind, rules: kind.admission.policy }] : []));
}

/** Those whose own objects get annotations. */
export function stampingKinds(kinds: readonly Kind[]): RulesOf<NonNullable<Admission['stamp']>>[] {
  return kinds.flatMap((kind) =>
    kind.admission?.stamp === undefined ? [] : [{ kind, rules: kind.admission.stamp }],
  );
}

/** The name of such a policy, and of its binding. */
export function policyName({ name }: PodPolicy): string {
  return `${name}.plan.kruise.io`;
}

/** Those whose objects are read for either. */
export function judgingKinds(kinds: readonly Kind[]): Kind[] {
  return [...new Set([...creatingKinds(kinds), ...reviewingKinds(kinds)].map(({ kind }) => kind))];
}

/** Those that record in the status of an object what it allows. */
export function recordingKinds(kinds: readonly Kind[]): Kind[] {
  const recording = [...creatingKinds(kinds), ...reviewingKinds(kinds)].filter(({ rules }) => rules.records);
  return [...new Set(recording.map(({ kind }) => kind))];
}

/** The resources of controllers and other objects that are read for new pods. */
export function readForPodsOf(kinds: readonly Kind[]): Resource[] {
  const read = creatingKinds(kinds).flatMap(({ rules: { reads, alsoReads } }) => [
    ...reads,
    ...alsoReads.among,
  ]);
  const keyOf = ({ group, plural }: Resource): string => `${plural}.${group}`;
  return [...new Map(read.map((resource) => [keyOf(resource), resource])).values()];
}
