local os = require("os")
local s = obj.status
local command = { apiVersion = "plan.kruise.io/v1alpha1", kind = "RolloutCommand", metadata = {}, spec = {} }
command.metadata.name = obj.spec.target.name .. "-approve-" .. os.time()
command.metadata.namespace = obj.metadata.namespace
command.spec.target = obj.spec.target
command.spec.action = "Approve"
command.spec.digest = s.digest
command.spec.step = s.step
command.spec.by = "system:serviceaccount:argocd:argocd-server"
return { { operation = "create", resource = command } }
