import type { KubeObject } from '../../schemas/wire/object.ts';
import type { LabelSelector } from '../../schemas/pods/pod.ts';
import type { MatchResources } from './match.ts';

/** A `ValidatingAdmissionPolicy`, with defaults. */
export interface Policy extends KubeObject {
  spec: {
    failurePolicy?: string;
    paramKind?: { apiVersion?: string; kind?: string };
    matchConstraints?: MatchResources;
    matchConditions?: readonly { name?: string; expression?: string }[];
    variables?: readonly { name?: string; expression?: string }[];
    validations?: readonly Validation[];
    auditAnnotations?: readonly { key?: string; valueExpression?: string }[];
  };
}

/** One check of a policy. */
export interface Validation {
  expression?: string;
  message?: string;
  messageExpression?: string;
  reason?: string;
}

/** A `ValidatingAdmissionPolicyBinding`. */
export interface PolicyBinding extends KubeObject {
  spec: {
    policyName?: string;
    paramRef?: {
      name?: string;
      namespace?: string;
      selector?: LabelSelector;
      parameterNotFoundAction?: string;
    };
    matchResources?: MatchResources;
    validationActions?: readonly string[];
  };
}
