import { field } from '../../schemas/pods/fieldErrors.ts';
import { refuse } from '../api/errors.ts';
import type { FieldError } from '../../schemas/pods/fieldErrors.ts';

/** The writer in `metadata.managedFields`. */
export interface Writer {
  manager: string;
  subresource?: string;
  /** Milliseconds since 1970 UTC. */
  at: number;
}

const nameLimit = 128;

/** Cache of validated names. */
const plainName = new RegExp(`^[ -~]{0,${nameLimit}}$`);

function problemsOf(manager: string): FieldError[] {
  const problems: FieldError[] = [];
  if (plainName.test(manager)) return problems;
  if (new TextEncoder().encode(manager).length > nameLimit)
    problems.push(field.tooLong('fieldManager', nameLimit));
  const at = [...manager].findIndex((character) => /\p{C}|[\u2028\u2029]/u.test(character));
  const code = [...manager][at]?.codePointAt(0);
  if (code !== undefined)
    problems.push(
      field.invalid(
        'fieldManager',
        manager,
        `invalid character U+${code.toString(16).toUpperCase().padStart(4, '0')} (at position ${at})`,
      ),
    );
  return problems;
}

/** 422 for an invalid or missing field manager. */
export function checkManager(
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
  manager: string | undefined,
  required: boolean,
): void {
  const problems =
    required && !manager
      ? [field.required('fieldManager', 'is required for apply patch')]
      : problemsOf(manager ?? '');
  if (problems.length > 0) throw refuse.invalid({ group: 'meta.k8s.io', plural: '', kind }, '', problems);
}

/** The default manager of a control plane component, as derived from its User-Agent. */
export function managerOfUser(user: string): string {
  if (user.startsWith('system:node:')) return 'kubelet';
  if (user.startsWith('system:serviceaccount:kube-system:')) return 'kube-controller-manager';
  return user.replace(/^system:/, '') || 'unknown';
}
