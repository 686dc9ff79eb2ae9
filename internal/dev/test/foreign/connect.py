"""Connects with pyVmomi, and lists the VMs of a vCenter. Its server, user, password and CA file are LAB_ variables."""

import os
import ssl
from urllib.parse import urlsplit

from pyVim.connect import Disconnect, SmartConnect
from pyVmomi import vim

url = urlsplit(os.environ["LAB_URL"])
service = SmartConnect(
    host=url.hostname,
    port=url.port,
    user=os.environ["LAB_USER"],
    pwd=os.environ["LAB_PASSWORD"],
    sslContext=ssl.create_default_context(cafile=os.environ["LAB_CA_FILE"]),
)
content = service.RetrieveContent()
view = content.viewManager.CreateContainerView(content.rootFolder, [vim.VirtualMachine], True)
print(*sorted(vm._moId for vm in view.view))
Disconnect(service)
