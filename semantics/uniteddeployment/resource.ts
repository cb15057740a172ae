import type { Resource } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';

export const unitedResource: Resource = resources.UnitedDeployment;

/** The fields of `spec.template`, of which one is set, with what each makes for a subset. */
export const TEMPLATES = [
  ['cloneSetTemplate', 'a CloneSet'],
  ['advancedStatefulSetTemplate', 'an Advanced StatefulSet'],
  ['statefulSetTemplate', 'a StatefulSet of Kubernetes'],
  ['deploymentTemplate', 'a Deployment'],
] as const;

export type TemplateField = (typeof TEMPLATES)[number][0];

export const FIELDS: readonly TemplateField[] = TEMPLATES.map(([field]) => field);
