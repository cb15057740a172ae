import type { KubeObject } from '../../schemas/wire/object.ts';
import { field } from '../../schemas/pods/fieldErrors.ts';
import { refuse } from '../api/errors.ts';
import { timestamp } from '../api/metadata.ts';
import { fieldAt } from '../../schemas/pods/fields.ts';
import type { RoleSource } from './authorizer.ts';
import { accountGroups, accountName, everybody, type UserInfo } from './users.ts';

/** Service account tokens. They exist only in memory and do not survive a restart. */
export interface Tokens {
  /**
   * POST of a TokenRequest for a stored service account: responds with a random token. 422 if the requested
   * lifetime is too short.
   */
  issue(account: KubeObject, request: unknown): KubeObject;
  /**
   * The user that a token authenticates; undefined if the token is unknown, has expired, or its service account was
   * deleted.
   */
  userOf(token: string): UserInfo | undefined;
}

interface Issued {
  namespace: string;
  name: string;
  uid: string;
  /** Milliseconds since 1970 UTC. */
  expires: number;
  forServer: boolean;
}

const serverAudience = 'https://kubernetes.default.svc';
const seconds = { usual: 3_600, least: 600, most: 2 ** 32 };

export function createTokens(source: RoleSource, now: () => number, uid: () => string): Tokens {
  const issued = new Map<string, Issued>();

  function forgetExpired(): void {
    for (const [token, { expires }] of issued) if (expires <= now()) issued.delete(token);
  }

  return {
    issue({ metadata }, request) {
      const asked = fieldAt(request, ['spec', 'expirationSeconds']);
      const lasting = typeof asked === 'number' ? asked : seconds.usual;
      const path = 'spec.expirationSeconds';
      const errors = [
        ...(lasting < seconds.least
          ? [field.invalid(path, lasting, 'may not specify a duration less than 10 minutes')]
          : []),
        ...(lasting > seconds.most
          ? [field.invalid(path, lasting, 'may not specify a duration larger than 2^32 seconds')]
          : []),
      ];
      if (errors.length > 0)
        throw refuse.invalid({ group: 'authentication.k8s.io', kind: 'TokenRequest' }, '', errors);
      const wanted = fieldAt(request, ['spec', 'audiences']);
      const audiences = Array.isArray(wanted) && wanted.length > 0 ? (wanted as unknown[]) : [serverAudience];
      const at = now();
      const token = `sandbox.${uid()}.${uid()}`;
      const { namespace = '', name } = metadata;
      forgetExpired();
      issued.set(token, {
        namespace,
        name,
        uid: metadata.uid ?? '',
        expires: at + lasting * 1000,
        forServer: audiences.includes(serverAudience),
      });
      return {
        kind: 'TokenRequest',
        apiVersion: 'authentication.k8s.io/v1',
        metadata: { name, namespace, creationTimestamp: timestamp(at) },
        spec: {
          audiences,
          expirationSeconds: lasting,
          boundObjectRef: fieldAt(request, ['spec', 'boundObjectRef']) ?? null,
        },
        status: { token, expirationTimestamp: timestamp(at + lasting * 1000) },
      };
    },
    userOf(token) {
      const found = issued.get(token);
      if (found === undefined || found.expires <= now() || !found.forServer) return undefined;
      const { namespace, name, uid: accountUid } = found;
      if (source.read('serviceaccounts', namespace, name)?.metadata.uid !== accountUid) return undefined;
      return {
        name: accountName(namespace, name),
        uid: accountUid,
        groups: [...accountGroups(namespace), everybody],
      };
    },
  };
}
