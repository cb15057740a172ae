import { describe, expect, it } from 'vitest';
import { endOf } from '../../fixtures/recreate-requests.ts';
import { begun, podWith, settledAt, T0, type Played } from './requests.ts';

const S = 1_000;

describe('what others have written', () => {
  it('the label of a pod alone does not take a request up: it is refused, or restarts like any other', () => {
    const claim = (uid: string, spec = {}): Played => {
      const played = begun(spec, podWith(['main']));
      const labels = { 'crr.apps.kruise.io/pod-uid': uid };
      return {
        ...played,
        target: { ...played.target, metadata: { ...played.target.metadata, labels } },
      };
    };
    for (const uid of ['pod-uid', 'of-another']) {
      const stopped = settledAt(claim(uid), T0);
      expect(stopped.done).toEqual(['take up', 'restart containers']);
      expect(stopped.target.metadata.labels?.['crr.apps.kruise.io/pod-uid']).toBe('pod-uid');
    }
    const twice = settledAt(claim('pod-uid', { containers: [{ name: 'main' }, { name: 'main' }] }), T0);
    expect(endOf(twice.target)).toEqual(['Completed', 'can not recreate main multi times']);
    const none = settledAt(claim('pod-uid', { containers: [] }), T0);
    expect(endOf(none.target)).toEqual(['Completed', 'containers list can not be null']);
  });

  it('a request that OpenKruise has taken up goes on', () => {
    const statusContext = { containerID: 'containerd://main-0', restartCount: 0 };
    const played = begun({ containers: [{ name: 'main', statusContext }] }, podWith(['main']));
    const labels = { 'crr.apps.kruise.io/pod-uid': 'pod-uid' };
    const target = { ...played.target, metadata: { ...played.target.metadata, labels } };
    expect(settledAt({ ...played, target }, T0 + 120 * S).done).toEqual(['restart containers']);
  });
});
