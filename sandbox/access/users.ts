/** The authenticated user of a request. */
export interface UserInfo {
  name: string;
  groups: readonly string[];
  uid?: string;
  extra?: Readonly<Record<string, readonly string[]>>;
}

export const anonymous = 'system:anonymous';
export const everybody = 'system:authenticated';
const administrators = 'system:masters';

/** A user in `system:masters`. */
export function administrator(name: string): UserInfo {
  return { name, groups: [administrators, everybody] };
}

/** A client in process: it has every permission, and a service account also has the groups of one. */
export function inProcess(name: string): UserInfo {
  const account = accountOf(name);
  const groups = account === undefined ? [] : accountGroups(account.namespace);
  return { name, groups: [...groups, administrators, everybody] };
}

/** Requests of administrators skip authorization. */
export function isAdministrator({ groups }: UserInfo): boolean {
  return groups.includes(administrators);
}

export function accountName(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

/** The service account of a user name, if it is one. */
export function accountOf(userName: string): { namespace: string; name: string } | undefined {
  const [system, kind, namespace, name, ...more] = userName.split(':');
  if (system !== 'system' || kind !== 'serviceaccount' || !namespace || !name || more.length > 0)
    return undefined;
  return { namespace, name };
}

/** The groups of every service account of a namespace, except `system:authenticated`. */
export function accountGroups(namespace: string): string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
}

/** The user of a service account, as a token of it says. */
export function serviceAccount(namespace: string, name: string): UserInfo {
  return { name: accountName(namespace, name), groups: [...accountGroups(namespace), everybody] };
}
