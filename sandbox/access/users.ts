/** Who asks: what a server knows of whoever sent a request. */
export interface UserInfo {
  name: string;
  groups: readonly string[];
  uid?: string;
  extra?: Readonly<Record<string, readonly string[]>>;
}

export const anonymous = 'system:anonymous';
export const everybody = 'system:authenticated';
const administrators = 'system:masters';

/** A user who may do everything. */
export function administrator(name: string): UserInfo {
  return { name, groups: [administrators, everybody] };
}

/** Nothing is looked up for them: every request of theirs is allowed. */
export function isAdministrator({ groups }: UserInfo): boolean {
  return groups.includes(administrators);
}

export function accountName(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

/** The service account that a user name stands for, if it is one's. */
export function accountOf(userName: string): { namespace: string; name: string } | undefined {
  const [system, kind, namespace, name, ...more] = userName.split(':');
  if (system !== 'system' || kind !== 'serviceaccount' || !namespace || !name || more.length > 0)
    return undefined;
  return { namespace, name };
}

/** The groups of every service account of a namespace, but for `system:authenticated`. */
export function accountGroups(namespace: string): string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
}
