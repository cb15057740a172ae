local os = require("os")
local s = obj.status
local command = { apiVersion = "plan.kruise.io/v1alpha1", kind = "RolloutCommand", metadata = {}, spec = {} }
command.metadata.name = obj.spec.target.name .. "-revert-" .. os.time()
command.metadata.namespace = obj.metadata.namespace
command.spec.target = obj.spec.target
command.spec.action = "Revert"
command.spec.digest = s.digest
command.spec.by = "system:serviceaccount:argocd:argocd-server"
return { { operation = "create", resource = command } }
