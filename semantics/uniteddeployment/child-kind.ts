import type { Resource } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { ChildCounts } from '../children/share-rows.ts';
import type { InvalidField } from '../fields/problems.ts';
import type { GitSide } from '../kinds/git-side.ts';
import type { Component } from '../kinds/need.ts';
import type { OwnStrategy } from '../kinds/status-facts.ts';
import type { KindLimits } from '../limits/window.ts';
import type { ChildRow, FailingPods } from '../plan/units.ts';
import type { Pod } from '../pod/types.ts';
import type { UpdateRules } from '../template/update-policy.ts';
import type { TemplateField } from './resource.ts';

/** What the rules of plans read of the template of children. */
export interface ChildSettings extends UpdateRules {
  readonly paused: boolean;
  readonly minReadySeconds: number;
  readonly progressDeadlineSeconds: number | undefined;
}

/** A kind of which a target makes an object for each of its subsets. A child is read by the rules of its own kind. */
export interface ChildKind {
  /** The field of `spec.template` that asks for it. */
  field: TemplateField;
  resource: Resource;
  /** The component of an installation that adds the rights to it; undefined: every installation has them. */
  component: Component | undefined;
  /** `partly`: its pods are updated as its share says. `whole`: another controller updates them all, once the template is another one. */
  steps: ChildRow['steps'];
  git: Pick<GitSide, 'read' | 'fieldPath' | 'policyText' | 'lint'>;
  limits: KindLimits;
  settings(child: KubeObject): ChildSettings;
  /** What its status counts. */
  counts(child: KubeObject): Omit<ChildCounts, 'pods'>;
  strategy(child: KubeObject): OwnStrategy;
  /** Which of its pods fail, as its status says; undefined: it says nothing of that. */
  failing(child: KubeObject): FailingPods | undefined;
  /** Which of these pods of its namespace are its own. */
  podsOf(child: KubeObject, pods: readonly Pod[]): readonly Pod[];
  /** The label by which its pods say which revision they are on. */
  revisionLabel: string;
  /** Errors in a child that its schema cannot express. */
  invalid(child: KubeObject): InvalidField[];
  /** The spec of a child with this partition, by that of the template. What the server would fill in is in it, or in `filledIn`. */
  spec(template: JsonObject, partition: number): JsonObject;
  /**
   * A template of a child without the pull policies that the server fills in.
   *
   * @param written a template that has some of them: those stay. Undefined: none does
   */
  unfilled(template: JsonObject, written: JsonObject | undefined): JsonObject;
  /** Fields of a spec that the server fills in where a template leaves them out; a path is of keys. */
  filledIn: readonly (readonly string[])[];
  /** Fields of a spec that are written once, when a child is created. */
  writtenOnce: readonly string[];
}
